// Extremes in a range of maps: the strongest token, the extent of the values, the tokens that hold half of the sum.

/**
 * The token with the largest value of one map; NaN and infinity are skipped.
 * @param {Float64Array} maps
 * @param {number} start index at which the map begins
 * @param {number} count its length
 * @param {boolean} signed take the largest value as it is, not the largest absolute value
 * @returns {number} the token, 0 if there is none
 */
export function strongest(maps, start, count, signed) {
  let best = 0;
  let most = -Infinity;
  for (let token = 0; token < count; token++) {
    const size = signed ? maps[start + token] : Math.abs(maps[start + token]);
    if (size > most && size < Infinity) [best, most] = [token, size];
  }
  return best;
}

/** The largest and the lowest finite value, and the largest finite absolute value, in a range of maps. */
export function extent(maps, start, count) {
  let [high, low, most] = [-Infinity, Infinity, 0];
  for (let at = start; at < start + count; at++) {
    const value = maps[at];
    if (!(Math.abs(value) < Infinity)) continue;
    if (value > high) high = value;
    if (value < low) low = value;
    if (value > most) most = value;
    else if (-value > most) most = -value;
  }
  return { high, low, most };
}

/**
 * The number of tokens, the largest first, that together hold half of a map's sum.
 * @returns {{count: number, sum: number}} the number of tokens, and the sum of the whole map
 */
export function half(maps, start, count) {
  const sorted = Float64Array.from(maps.subarray(start, start + count), Math.abs).sort();
  const sum = sorted.reduce((total, value) => total + value, 0);
  let reached = 0;
  let tokens = 0;
  while (tokens < count && reached < sum / 2) reached += sorted[count - 1 - tokens++];
  return { count: tokens, sum };
}
