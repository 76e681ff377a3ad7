// The arithmetic of the worked pair: what stands in its four lines, from the numbers that Python sent.
// Nothing here knows the page. Tokens and heads count from 0.

import { MEAN } from "../maps/attention.js";

export const STRONGEST = 5; // keys that the softmax is shown with
export const TERMS = 8; // numbers of a vector that fit beside each other

/** The pair's part in the answer, and in what its query takes. */
export class Worked {
  /**
   * @param {import("../maps/attention.js").Attention} attention
   * @param {Record<string, any>} arrays as Python sends them; without `readout` there is no exact share of the answer
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
    this.weights = new Float64Array(attention.tokens); // of the query, the mean over the heads where that is shown
    this.ofHead = new Float64Array(attention.tokens);
    this.mixed = new Float64Array(this.size);
    this.toLogit = new Float64Array(this.size);
  }

  /**
   * Compute what follows from the weights of the query.
   * @param {{head: number|"mean", query: number|null, key: number}} pair
   * @returns {{weights: Float64Array, part: number, added: number|null, ofQuery: number|null}} weights: of the query
   *   (overwritten by the next call); part: of the sizes of all that the query's output takes (0..1): of the heads that
   *   are looked at, or, where the layer ends in a norm, of all heads and the query itself; added: what the pair
   *   adds to the logit, ofQuery: what all keys together add there; for the mean of the heads both are sums over heads,
   *   without a query over all queries. Null where the answer is no sum.
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

  /** The sizes of all that a query takes in a head, added up; of every token in turn (null) the mean. */
  sizes(head, query, weights) {
    const { attention } = this;
    let sum = 0;
    for (let key = 0; key < attention.tokens; key++) {
      if (weights[key]) sum += Math.abs(attention.change(head, query, key, weights[key])); // else it may have no value
    }
    return sum;
  }

  /** The size of what a query's own features change in its output, and of all that it takes in other heads. */
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

  /** The value of a token in a head; nothing where the values were left out. @returns {number[]} */
  valueOf(head, token) {
    const from = (head * this.attention.tokens + token) * this.size;
    return this.value ? Array.from(this.value.subarray(from, from + this.size)) : [];
  }

  // Below: what a value is worth to the logit at one query. Only its dot product with `toLogit` is needed.

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

  /** What a query adds to the logit with all that it takes. */
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

  /** What a key adds to the logit through all queries. */
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

/** The places of the strongest in their order, and those of the others. */
function byStrength(items, value, count) {
  const strength = (place) => Math.abs(value(items[place]));
  const order = items.map((_, place) => place).sort((one, other) => strength(other) - strength(one));
  return { kept: order.slice(0, count).sort((one, other) => one - other), rest: order.slice(count) };
}

/**
 * The terms of a dot product that are shown: all, or the largest in their order and the sum of the others.
 * @param {{query: number, key: number, product: number}[]} terms
 * @returns {any[]} the last one has `others`, how many it stands for, where not all are shown
 */
export function gather(terms, most = TERMS) {
  if (terms.length <= most) return terms;
  const { kept, rest } = byStrength(terms, ({ product }) => product, most - 1);
  return [
    ...kept.map((place) => terms[place]),
    { others: rest.length, product: rest.reduce((sum, place) => sum + terms[place].product, 0) },
  ];
}

/** The largest numbers of a vector in their order, and how many are left out. @param {number[]} vector */
export function largest(vector, most = TERMS) {
  if (vector.length <= most) return { numbers: vector, others: 0 };
  const { kept } = byStrength(vector, (number) => number, most - 1);
  return { numbers: kept.map((place) => vector[place]), others: vector.length - kept.length };
}
