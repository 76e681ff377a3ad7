// The change by one pair in the output of a layer that ends in ReLU and a layer normalisation. It does not access the
// page. Tokens and heads count from 0.

/** The end of one attention layer applied to one picture. */
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
    this.outputs = new Float64Array(before.length); // without the shift of the norm, which cancels
    for (let token = 0; token < tokens; token++) {
      this.without.set(before.subarray(token * this.features, (token + 1) * this.features));
      this.finish(this.without);
      this.outputs.set(this.normed, token * this.features);
    }
  }

  /** Pass features through ReLU and the norm, into `normed`. @param {Float64Array} entering */
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
   * The norm of the change in a query's output if a part of the input of ReLU were removed.
   * @param {number} query
   * @param {Float64Array} part
   * @param {number} start index at which the part begins
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

  /** The norm of the change in a query's output made by a key with a weight. */
  change(head, query, key, weight) {
    return this.away(query, this.added, (head * this.tokens + key) * this.features, weight);
  }

  /** The norm of the change in a query's output made by its own features. @param {number} query */
  changeOfOwn(query) {
    return this.away(query, this.own, query * this.features, 1);
  }
}
