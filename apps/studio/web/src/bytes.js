// Offsets of bytes, as the server counts, to offsets of a string, and back.

const encoder = new TextEncoder();

function isAscii(text) {
  // eslint-disable-next-line no-control-regex
  return /^[\x00-\x7f]*$/.test(text);
}

/** The offset in a string of an offset in its bytes. */
export function toIndex(text, byte) {
  if (isAscii(text)) return Math.min(byte, text.length);
  return new TextDecoder().decode(encoder.encode(text).subarray(0, byte)).length;
}

/** The offset in the bytes of a string of an offset in it. */
export function toByte(text, index) {
  if (isAscii(text)) return index;
  return encoder.encode(text.slice(0, index)).length;
}
