// What the stories measure in the page.

/** The words on the page with less contrast than WCAG 2.2 asks for (1.4.3, AA); runs in the page. */
export function poorContrast() {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((own, index) => own * a + under[index] * (1 - a));
  const light = (color) => {
    const [r, g, b] = color.map((own) => (own / 255 <= 0.03928 ? own / 255 / 12.92 : ((own / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let own = element; own; own = own.parentElement) layers.push(rgba(getComputedStyle(own).backgroundColor));
    return layers.reverse().reduce((under, own) => over(own, under), [255, 255, 255]);
  };
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const words = walker.currentNode.data.trim();
    if (!words || element.closest('svg, :disabled, option, style') || !element.checkVisibility({ opacityProperty: true })) continue;
    const own = getComputedStyle(element);
    const size = parseFloat(own.fontSize);
    const needed = size >= 24 || (size >= 18.66 && Number(own.fontWeight) >= 700) ? 3 : 4.5;
    const under = behind(element);
    const [a, b] = [light(over(rgba(own.color), under)), light(under)].sort((a, b) => b - a);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < needed) found.add(`${words.slice(0, 30)}: ${contrast.toFixed(2)}`);
  }
  return [...found];
}

/** The median time from moving a slider to the picture of the run [ms]. */
export async function slid(page, name, value) {
  const times = [];
  for (let i = 0; i < 25; i++) {
    times.push(await page.evaluate(async ([name, value]) => {
      const slider = document.getElementById('parameter-' + name);
      slider.value = value;
      const begin = performance.now();
      const before = globalThis.studio.run;
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      while (!(globalThis.studio.run > before && globalThis.studio.rows?.run === globalThis.studio.run)) {
        await new Promise((resolve) => setTimeout(resolve));
      }
      // The next frame has the picture.
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return performance.now() - begin;
    }, [name, value(i)]));
  }
  return times.sort((a, b) => a - b)[12];
}
