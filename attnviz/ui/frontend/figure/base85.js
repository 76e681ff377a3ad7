// Python's base 85, with substitutes for the characters that are special in HTML: attnviz/figures/page.py
const SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%,()*+-;/=:?@^_`{|}~";
const DIGITS = new Uint8Array(128);
[...SIGNS].forEach((sign, digit) => (DIGITS[sign.charCodeAt(0)] = digit));

/** Decode base 85: five characters are four bytes. @param {string} signs */
export function fromBase85(signs) {
  const groups = Math.ceil(signs.length / 5);
  const view = new DataView(new ArrayBuffer(4 * groups));
  for (let group = 0, at = 0; group < groups; group++) {
    let value = 0;
    for (let i = 0; i < 5; i++, at++) value = value * 85 + (at < signs.length ? DIGITS[signs.charCodeAt(at)] : 84);
    view.setUint32(4 * group, value);
  }
  return new Uint8Array(view.buffer, 0, 4 * groups - (5 * groups - signs.length));
}
