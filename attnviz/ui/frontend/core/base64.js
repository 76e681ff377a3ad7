// Bytes as base64.

/** @param {Uint8Array} bytes */
export function toBase64(bytes) {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Encode for a URL, without padding. @param {Uint8Array} bytes */
export function toBase64Url(bytes) {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {string} written @returns {Uint8Array|null} null if the text is not base64 */
export function fromBase64(written) {
  try {
    return Uint8Array.from(atob(written), (sign) => sign.charCodeAt(0));
  } catch {
    return null;
  }
}
