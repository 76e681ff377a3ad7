// The pad's drawing, scaled down before it is sent.

/** Whether nothing is drawn. @param {Uint8Array} values */
export function isEmpty(values) {
  return !values.some((value) => value > 0);
}

/**
 * Scale down a square drawing: each pixel is the mean of a square of pixels.
 * @param {Uint8Array} values row by row
 * @param {number} side pixels along each side
 * @param {number} wanted pixels along each side of the result, a divisor of `side`
 */
export function shortened(values, side, wanted) {
  const step = side / wanted;
  const found = new Uint8Array(wanted * wanted);
  for (let row = 0; row < wanted; row++) {
    for (let column = 0; column < wanted; column++) {
      let sum = 0;
      for (let down = 0; down < step; down++)
        for (let across = 0; across < step; across++)
          sum += values[(row * step + down) * side + column * step + across];
      found[row * wanted + column] = Math.round(sum / step ** 2);
    }
  }
  return found;
}
