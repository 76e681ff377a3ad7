// What a pair changes in the output of a layer that ends in ReLU and a layer normalisation. Nothing here knows the
// page. Tokens and heads count from 0.

/** The end of one attention layer on one picture. */
export class NormedEnd {
  /**
   * @param {{before: Float64Array, own: Float64Array, added: Float64Array, scale: Float64Array}} arrays before, own
   *   (token, feature), added (head, token, feature), scale (feature,); see pixel_viewer.py
   * @param {number} tokens
   * @param {number} eps
   */
  constructor({ before, own, added, scale }, tokens, eps) {
    this.tokens = tokens;
    this.features = scale.length;
    this.before = before;
    this.own = own;
    this.added = added;
    this.scale = scale;
    this.eps = eps;
    this.without = new Float64Array(this.features);
    this.normed = new Float64Array(this.features);
    this.outputs = new Float64Array(before.length); // less the shift of the norm, which cancels
    for (let token = 0; token < tokens; token++) {
      this.without.set(before.subarray(token * this.features, (token + 1) * this.features));
      this.finish(this.without);
      this.outputs.set(this.normed, token * this.features);
    }
  }

  /** Pass what enters ReLU through ReLU and the norm, into `normed`. @param {Float64Array} entering */
  finish(entering) {
    const { features, scale, normed, eps } = this;
    let [sum, squares] = [0, 0];
    for (let i = 0; i < features; i++) sum += normed[i] = Math.max(0, entering[i]);
    const mean = sum / features;
    for (let i = 0; i < features; i++) squares += (normed[i] -= mean) ** 2;
    const root = Math.sqrt(squares / features + eps);
    for (let i = 0; i < features; i++) normed[i] *= scale[i] / root;
  }

  /**
   * How far the output of a query would be from what it is without a part of what enters ReLU, as a length.
   * @param {number} query
   * @param {Float64Array} part
   * @param {number} start where the part begins
   * @param {number} weight
   */
  away(query, part, start, weight) {
    const { features, before, without, normed, outputs } = this;
    const from = query * features;
    for (let i = 0; i < features; i++) without[i] = before[from + i] - weight * part[start + i];
    this.finish(without);
    let sum = 0;
    for (let i = 0; i < features; i++) sum += (outputs[from + i] - normed[i]) ** 2;
    return Math.sqrt(sum);
  }

  /** By how much a key that is taken with a weight changes the output of a query, as a length. */
  change(head, query, key, weight) {
    return this.away(query, this.added, (head * this.tokens + key) * this.features, weight);
  }

  /** By how much a query's own features change its output, as a length. @param {number} query */
  changeOfOwn(query) {
    return this.away(query, this.own, query * this.features, 1);
  }
}
