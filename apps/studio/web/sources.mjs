// The hash of everything that the bundle is made of. The tests of the server compute the same one
// (apps/studio/tests/bundle.rs), so that a bundle that is not fresh is noticed without npm.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = import.meta.dirname;

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return files(path);
    return [relative(root, path).replaceAll('\\', '/')];
  });
}

const names = [
  ...files(join(root, 'src')),
  'index.html', 'package.json', 'package-lock.json', 'vite.config.js', 'vite.report.js',
].sort();
// FNV-1a of 64 bits: it notices a forgotten build, and guards against nothing else.
let hash = 0xcbf29ce484222325n;
function add(text) {
  for (const byte of Buffer.from(text, 'utf8')) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
}
for (const name of names) {
  const text = readFileSync(join(root, name), 'utf8').replaceAll('\r\n', '\n');
  add(`${name}\n${Buffer.byteLength(text)}\n${text}`);
}
writeFileSync(join(root, '../bundle/sources.hash'), `${hash.toString(16).padStart(16, '0')}\n`);
