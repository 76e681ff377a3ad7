// The arithmetic of the worked pair: its four lines, computed from Python's data. It does not access the page. Tokens
// and heads count from 0.

import { MEAN } from "../maps/attention.js";

export const STRONGEST = 5; // number of keys shown for the softmax
export const TERMS = 8; // number of components of a vector that fit side by side

/** The pair's contribution to the answer and to the output of its query. */
export class Worked {
  /**
   * @param {import("../maps/attention.js").Attention} attention
   * @param {Record<string, any>} arrays the arrays from Python; without `readout` there is no exact share of the answer
   * @param {Record<string, number[]>} shapes
   */
  constructor(attention, arrays, shapes) {
    this.attention = attention;
    this.value = arrays.value;
    this.size = shapes.value?.[2] ?? 0;
    this.projection = arrays.projection;
    this.readout = arrays.readout;
    this.ofHeads = arrays.of_heads;
    this.features = shapes.readout?.[1] ?? 0;
    this.weights = new Float64Array(attention.tokens); // the query's, averaged over the heads for their mean
    this.ofHead = new Float64Array(attention.tokens);
    this.mixed = new Float64Array(this.size);
    this.toLogit = new Float64Array(this.size);
  }

  /**
   * Compute the numbers that follow from the weights of the query.
   * @param {{head: number|"mean", query: number|null, key: number}} pair
   * @returns {{weights: Float64Array, part: number, added: number|null, ofQuery: number|null}} weights: of the query
   *   (overwritten by the next call); part: the pair's fraction (0..1) of the total size of the contributions to the
   *   query's output, over the selected heads or, if the layer ends in a norm, over all heads and the query itself;
   *   added: what the pair adds to the logit, ofQuery: what all keys together add there; for the mean of the heads both
   *   are sums over heads, without a query over all queries. Null if the answer is not a sum.
   */
  work({ head, query, key }) {
    const { attention, weights, ofHead, readout } = this;
    const { heads, tokens } = attention;
    const all = head === MEAN ? Array.from({ length: heads }, (_, number) => number) : [head];
    let [added, ofQuery, taken, mine] = [0, 0, attention.end ? this.sizesBeside(attention.end, all, query) : 0, 0];
    weights.fill(0);
    for (const number of all) {
      attention.row(number, query, ofHead);
      for (let token = 0; token < tokens; token++) weights[token] += ofHead[token];
      mine += Math.abs(attention.change(number, query, key, ofHead[key]));
      taken += this.sizes(number, query, ofHead);
      if (!readout) continue;
      if (query === null) {
        added += this.fromAll(number, key);
        ofQuery += this.ofHeads[number];
      } else {
        this.readAt(number, query);
        added += ofHead[key] * this.worth(number, key);
        ofQuery += this.takenBy(number);
      }
    }
    for (let token = 0; token < tokens; token++) weights[token] /= all.length;
    return { weights, part: mine / taken, added: readout ? added : null, ofQuery: readout ? ofQuery : null };
  }

  /** The total size of the contributions to a query in a head; the mean over all queries for null. */
  sizes(head, query, weights) {
    const { attention } = this;
    let sum = 0;
    for (let key = 0; key < attention.tokens; key++) {
      if (weights[key]) sum += Math.abs(attention.change(head, query, key, weights[key])); // or it may lack a value
    }
    return sum;
  }

  /** The size of the change made in a query's output by its own features and by the other heads. */
  sizesBeside(end, heads, query) {
    const { attention, ofHead } = this;
    const { tokens } = attention;
    const queries = query === null ? Array.from({ length: tokens }, (_, token) => token) : [query];
    let sum = queries.reduce((total, one) => total + end.changeOfOwn(one) / queries.length, 0);
    for (let head = 0; head < attention.heads; head++) {
      if (heads.includes(head)) continue;
      attention.row(head, query, ofHead);
      sum += this.sizes(head, query, ofHead);
    }
    return sum;
  }

  /** The value of a token in a head; empty if the values were left out. @returns {number[]} */
  valueOf(head, token) {
    const from = (head * this.attention.tokens + token) * this.size;
    return this.value ? Array.from(this.value.subarray(from, from + this.size)) : [];
  }

  // Below: the contribution of a value to the logit at one query. It needs only the dot product with `toLogit`.

  readAt(head, query) {
    const { projection, readout, features, size, toLogit, attention } = this;
    toLogit.fill(0);
    for (let feature = 0; feature < features; feature++) {
      const factor = readout[query * features + feature];
      const from = (feature * attention.heads + head) * size;
      for (let i = 0; i < size; i++) toLogit[i] += factor * projection[from + i];
    }
  }

  worth(head, token) {
    const from = (head * this.attention.tokens + token) * this.size;
    let sum = 0;
    for (let i = 0; i < this.size; i++) sum += this.toLogit[i] * this.value[from + i];
    return sum;
  }

  /** The total contribution of a query to the logit. */
  takenBy(head) {
    const {
      mixed,
      ofHead,
      size,
      value,
      toLogit,
      attention: { tokens },
    } = this;
    mixed.fill(0);
    for (let token = 0, at = head * tokens * size; token < tokens; token++) {
      for (let i = 0; i < size; i++) mixed[i] += ofHead[token] * value[at++];
    }
    return mixed.reduce((sum, number, i) => sum + number * toLogit[i], 0);
  }

  /** The contribution of a key to the logit through all queries. */
  fromAll(head, key) {
    let sum = 0;
    for (let query = 0; query < this.attention.tokens; query++) {
      this.readAt(head, query);
      sum += this.attention.weight(head, query, key) * this.worth(head, key);
    }
    return sum;
  }
}

/**
 * The keys with the largest weights, and one more key if it is not among them.
 * @param {Float64Array} weights of one query
 * @param {number} key of the pair
 * @returns {{keys: number[], others: number, rest: number}} keys: the largest first, then the pair's; others: how many
 *   keys there are besides, and the sum of their weights
 */
export function strongestKeys(weights, key, most = STRONGEST) {
  const keys = [];
  let sum = 0;
  for (let token = 0; token < weights.length; token++) {
    const weight = weights[token];
    sum += weight;
    if (keys.length === most && !(weight > weights[keys[most - 1]])) continue;
    if (keys.length === most) keys.pop();
    let place = keys.length;
    while (place > 0 && weight > weights[keys[place - 1]]) place--;
    keys.splice(place, 0, token);
  }
  if (!keys.includes(key)) keys.push(key);
  const rest = keys.reduce((left, token) => left - weights[token], sum);
  return { keys, others: weights.length - keys.length, rest: Math.max(0, rest) };
}

/** The indices of the strongest in their order, and those of the others. */
function byStrength(items, value, count) {
  const strength = (place) => Math.abs(value(items[place]));
  const order = items.map((_, place) => place).sort((one, other) => strength(other) - strength(one));
  return { kept: order.slice(0, count).sort((one, other) => one - other), rest: order.slice(count) };
}

/**
 * The shown terms of a dot product: all, or the largest in their order and the sum of the others.
 * @param {{query: number, key: number, product: number}[]} terms
 * @returns {any[]} if some are left out, the last one has `others`, the number that it sums up
 */
export function gather(terms, most = TERMS) {
  if (terms.length <= most) return terms;
  const { kept, rest } = byStrength(terms, ({ product }) => product, most - 1);
  return [
    ...kept.map((place) => terms[place]),
    { others: rest.length, product: rest.reduce((sum, place) => sum + terms[place].product, 0) },
  ];
}

/** The largest components of a vector in their order, and the number of those left out. @param {number[]} vector */
export function largest(vector, most = TERMS) {
  if (vector.length <= most) return { numbers: vector, others: 0 };
  const { kept } = byStrength(vector, (number) => number, most - 1);
  return { numbers: kept.map((place) => vector[place]), others: vector.length - kept.length };
}
