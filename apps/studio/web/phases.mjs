// The story of phase plots: the curve, its point at the cursor, and zoom.

/** Goes through the phase plot of the model that is open, which has one of x and z. */
export async function phase({ page, assert, picture }) {
  const over = page.locator('[data-phase="0"] .u-over');
  await over.waitFor();
  await page.waitForTimeout(200);
  await picture('phase');
  const { x, y, width, height } = await over.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.locator('[data-phase="0"] .mark').waitFor();
  const [row, near] = await page.evaluate(() => {
    const { rows, cursor } = globalThis.studio;
    return [cursor, ['x', 'z'].map((name) => rows.lanes[rows.names.indexOf(name)][cursor])];
  });
  const told = (await page.locator('[data-phase="0"] .legend b').textContent()).split(', ').map(Number);
  assert(told.every((own, index) => Math.abs(own - near[index]) < 1e-3 * (1 + Math.abs(own))), `the point of row ${row} is shown`);
  assert((await page.locator('[data-panel="0"] .legend b').count()) > 0, 'the plots over time show the same row');
  // The wheel zooms this plot alone; a double click shows all of it again.
  const dark = () => over.locator('xpath=..').locator('canvas').evaluate((own) => {
    const { data } = own.getContext('2d').getImageData(0, 0, own.width, own.height);
    let sum = 0;
    for (let i = 3; i < data.length; i += 4) if (data[i] > 0) sum += 1;
    return sum;
  });
  const before = await dark();
  assert(before > 1000, 'a curve is drawn');
  await page.mouse.wheel(0, -900);
  await page.waitForTimeout(150);
  assert((await dark()) !== before && (await page.evaluate(() => globalThis.studio.view)) === null, 'the wheel zooms the plot alone');
  await over.dblclick();
  await page.waitForTimeout(150);
  await page.mouse.move(x - 300, y - 300);
  assert((await dark()) === before, 'all of it is shown again');
}
