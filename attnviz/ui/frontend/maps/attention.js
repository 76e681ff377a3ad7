// Attention, computed in doubles from queries, keys and each row's log-normaliser. It does not access the page. Tokens
// and heads count from 0.

export const MEAN = "mean";

/** One attention layer applied to one picture. */
export class Attention {
  /**
   * @param {{query?: Float64Array, key?: Float64Array, scores?: Numbers, attending?: Int32Array, attended?: Int32Array,
   *   log_normaliser: Float64Array, carried: Float64Array, received: Float64Array}} arrays query and key (head, token,
   *   size), or scores (head, query, key) instead; attending (query) and attended (query, key) if tokens attend only to
   *   some tokens; the others (head, token): attnviz/views/attention.py
   * @param {number[]} shape heads, tokens, size (0 if scores are given)
   * @param {import("./normed_end.js").NormedEnd|null} end how the layer ends; null if the projection of the heads is
   *   its output
   */
  constructor(arrays, [heads, tokens, size], end = null) {
    this.end = end;
    /** @type {Float64Array|null} */
    this.meanChanges = null;
    this.heads = heads;
    this.tokens = tokens;
    this.size = size;
    this.query = arrays.query ?? new Float64Array();
    this.key = arrays.key ?? new Float64Array();
    /** @type {Numbers|undefined} if they are not dot products */
    this.scores = arrays.scores;
    this.some = arrays.attending && arrays.attended ? someOf(arrays.attending, arrays.attended, tokens) : null;
    /** The number of tokens that a query attends to. */
    this.inside = this.some?.inside ?? tokens;
    this.logNormaliser = arrays.log_normaliser;
    this.carried = arrays.carried;
    this.received = arrays.received;
    this.root = Math.sqrt(size);
    this.scaled = new Float64Array(size);
    this.meanQuery = meanOverTokens(this.query, heads, tokens, size);
  }

  /** The score q · k / sqrt(size) of one pair in one head. */
  score(head, query, key) {
    if (this.scores && this.some) return scoreOfSome(this.scores, this.some, head, query, key);
    if (this.scores) return this.scores[(head * this.tokens + query) * this.tokens + key];
    const from = (head * this.tokens + query) * this.size;
    const to = (head * this.tokens + key) * this.size;
    let sum = 0;
    for (let i = 0; i < this.size; i++) sum += this.query[from + i] * this.key[to + i];
    return sum / this.root;
  }

  /** The weight of one pair in one head, 0..1. */
  weight(head, query, key) {
    return Math.exp(this.score(head, query, key) - this.logNormaliser[head * this.tokens + query]);
  }

  /**
   * The weights of one query over all keys; for every token in turn (null), their mean over all queries.
   * @param {number} head
   * @param {number|null} query
   * @param {Float64Array} into written: one weight per token
   */
  row(head, query, into) {
    const start = head * this.tokens;
    if (query === null) {
      into.set(this.received.subarray(start, start + this.tokens));
      return;
    }
    if (this.scores) {
      for (let token = 0; token < this.tokens; token++) into[token] = this.weight(head, query, token);
      return;
    }
    this.fillScores(this.query, (start + query) * this.size, this.key, head, into, 0);
    const normaliser = this.logNormaliser[start + query];
    for (let token = 0; token < this.tokens; token++) into[token] = Math.exp(into[token] - normaliser);
  }

  /**
   * The terms of the dot product of one pair in one head.
   * @returns {{query: number, key: number, product: number}[]}
   */
  terms(head, query, key) {
    const from = (head * this.tokens + query) * this.size;
    const to = (head * this.tokens + key) * this.size;
    return Array.from({ length: this.size }, (_, i) => {
      const [q, k] = [this.query[from + i], this.key[to + i]];
      return { query: q, key: k, product: q * k };
    });
  }

  /**
   * All numbers of one pair. For the mean of the heads, each number is averaged over the heads. In the direction
   * "received", each number is averaged over all queries.
   */
  pair(head, query, key, direction) {
    if (head === MEAN) {
      const all = Array.from({ length: this.heads }, (_, h) => this.pair(h, query, key, direction));
      const mean = (name) => all.reduce((sum, one) => sum + one[name], 0) / this.heads;
      return { score: mean("score"), weight: mean("weight"), carried: mean("carried"), terms: [] };
    }
    const at = head * this.tokens + key;
    const received = direction === "received";
    const weight = received ? this.received[at] : this.weight(head, query, key);
    return {
      score: received ? this.meanScore(head, key) : this.score(head, query, key),
      weight,
      carried: this.change(head, received ? null : query, key, weight),
      terms: received ? [] : this.terms(head, query, key),
    };
  }

  /**
   * The contribution of a key to the output, or the change that it makes if the output is not a sum.
   * @param {number} head
   * @param {number|null} query null gives the mean over all queries
   * @param {number} key
   * @param {number} weight of the pair
   */
  change(head, query, key, weight) {
    const at = head * this.tokens + key;
    if (!this.end) return weight * this.carried[at];
    if (query !== null) return this.end.change(head, query, key, weight);
    this.meanChanges ??= this.changesOnAverage(this.end);
    return this.meanChanges[at];
  }

  /** The change of the output by each key, as a mean over all queries: (head, key). */
  changesOnAverage(end) {
    const { heads, tokens } = this;
    const means = new Float64Array(heads * tokens);
    const weights = new Float64Array(tokens);
    for (let head = 0; head < heads; head++) {
      for (let query = 0; query < tokens; query++) {
        this.row(head, query, weights);
        for (let key = 0; key < tokens; key++)
          means[head * tokens + key] += end.change(head, query, key, weights[key]) / tokens;
      }
    }
    return means;
  }

  /** The mean score of a key over all queries: the score of the mean query, because a score is linear in it. */
  meanScore(head, key) {
    if (this.scores) return this.meanOfScores(head, key);
    const to = (head * this.tokens + key) * this.size;
    let sum = 0;
    for (let i = 0; i < this.size; i++) sum += this.meanQuery[head * this.size + i] * this.key[to + i];
    return sum / this.root;
  }

  /**
   * Compute every head's map, followed by the mean of all heads.
   * @param {"weights"|"scores"|"carried"} show the quantity in a map
   * @param {"from"|"to"|"received"} direction the row of a query, the column of a key, or the mean over all queries
   * @param {number} held the token that is the query ("from") or the key ("to")
   * @param {Float64Array} maps written: (heads + 1) x tokens
   * @param {Float64Array} logs written for weights: their natural logarithms, which stay accurate if a weight is too
   *   small for a double
   */
  fill(show, direction, held, maps, logs) {
    const { heads, tokens } = this;
    for (let head = 0; head < heads; head++) {
      const start = head * tokens;
      if (this.scores && (direction !== "received" || show === "scores"))
        this.takeScores(this.scores, direction, held, head, maps);
      else if (direction === "from") this.fillScores(this.query, (start + held) * this.size, this.key, head, maps);
      else if (direction === "to") this.fillScores(this.key, (start + held) * this.size, this.query, head, maps);
      else if (show === "scores") this.fillScores(this.meanQuery, head * this.size, this.key, head, maps);
      else maps.set(this.received.subarray(start, start + tokens), start);
      if (show === "scores") continue;
      if (direction === "received") this.fillLogs(start, maps, logs);
      else this.fillWeights(start, direction === "from" ? start + held : -1, maps, logs);
      if (show !== "carried") continue;
      if (this.end) this.fillChanges(head, direction, held, maps);
      else this.carry(start, direction === "to" ? start + held : -1, maps);
    }
    this.fillMean(show, maps, logs);
  }

  // Below: one head's map, beginning at `start`. Small loops of one kind each: they run at every move of the pointer.

  /** Turn scores into weights. @param {number} row the query whose row this is, or -1 for a column */
  fillWeights(start, row, maps, logs) {
    const { logNormaliser } = this;
    const end = start + this.tokens;
    if (row < 0) {
      for (let at = start; at < end; at++) maps[at] = Math.exp((logs[at] = maps[at] - logNormaliser[at]));
    } else {
      const same = logNormaliser[row];
      for (let at = start; at < end; at++) maps[at] = Math.exp((logs[at] = maps[at] - same));
    }
  }

  fillLogs(start, maps, logs) {
    for (let at = start; at < start + this.tokens; at++) logs[at] = Math.log(maps[at]);
  }

  /** Multiply weights by what the keys carry. @param {number} column the key whose column this is, or -1 for a row */
  carry(start, column, maps) {
    for (let at = start; at < start + this.tokens; at++) maps[at] *= this.carried[column < 0 ? at : column];
  }

  /** Turn weights into the changes of the output that they make. */
  fillChanges(head, direction, held, maps) {
    for (let token = 0, at = head * this.tokens; token < this.tokens; token++, at++) {
      if (direction === "from") maps[at] = this.change(head, held, token, maps[at]);
      else if (direction === "to") maps[at] = this.change(head, token, held, maps[at]);
      else maps[at] = this.change(head, null, token, maps[at]);
    }
  }

  /** Copy one head's given scores: a row, a column, or the mean over all queries. */
  takeScores(scores, direction, held, head, maps) {
    const { tokens } = this;
    const [start, first] = [head * tokens, head * tokens * tokens];
    if (this.some) {
      for (let token = 0; token < tokens; token++) {
        if (direction === "received") maps[start + token] = this.meanOfScores(head, token);
        else if (direction === "to") maps[start + token] = this.score(head, token, held);
        else maps[start + token] = -Infinity;
      }
      if (direction === "from") takeSome(scores, this.some, head, held, maps, start);
      return;
    }
    for (let token = 0; token < tokens; token++) {
      if (direction === "from") maps[start + token] = scores[first + held * tokens + token];
      else if (direction === "to") maps[start + token] = scores[first + token * tokens + held];
      else maps[start + token] = this.meanOfScores(head, token);
    }
  }

  /** The mean of the given scores of a key, over all queries. */
  meanOfScores(head, key) {
    const { tokens } = this;
    let [sum, count] = [0, 0];
    for (let query = 0; query < tokens; query++) {
      const score = this.score(head, query, key);
      if (this.some && score === -Infinity) continue; // it does not attend to the key
      sum += score;
      count++;
    }
    return sum / count;
  }

  /** A token, or the first attending one if it attends to nothing. @param {number} token */
  attendingNear(token) {
    return !this.some || this.some.places[token] >= 0 ? token : this.some.places.findIndex((place) => place >= 0);
  }

  fillMean(show, maps, logs) {
    const { heads, tokens } = this;
    const start = heads * tokens;
    const mean = maps.subarray(start, start + tokens).fill(0);
    for (let head = 0; head < heads; head++) {
      const first = head * tokens;
      for (let token = 0; token < tokens; token++) mean[token] += maps[first + token];
    }
    for (let token = 0; token < tokens; token++) {
      mean[token] /= heads;
      if (show === "weights") logs[start + token] = Math.log(mean[token]);
    }
  }

  /** Compute one head's scores: a fixed vector (starting at `from`) with each of the head's moving vectors. */
  fillScores(fixed, from, moving, head, maps, start = head * this.tokens) {
    const { size, root, scaled } = this;
    for (let i = 0; i < size; i++) scaled[i] = fixed[from + i] / root;
    const end = start + this.tokens;
    let at = head * this.tokens * size;
    for (let token = start; token < end; token++) {
      let sum = 0;
      for (let i = 0; i < size; i++) sum += scaled[i] * moving[at++];
      maps[token] = sum;
    }
  }
}

/**
 * The tokens that attend, and their keys.
 * @typedef {{places: Int32Array, attended: Int32Array, inside: number, count: number}} Some
 *   places: (token) the token's row of scores, or -1; attended: (row, inside) tokens; count: the number of rows
 */

/** @param {Int32Array} attending @param {Int32Array} attended @param {number} tokens @returns {Some} */
function someOf(attending, attended, tokens) {
  const places = new Int32Array(tokens).fill(-1);
  attending.forEach((token, place) => (places[token] = place));
  return { places, attended, inside: attended.length / attending.length, count: attending.length };
}

/** @param {Numbers} scores @param {Some} some @returns {number} minus infinity if the query does not attend to it */
function scoreOfSome(scores, { places, attended, inside, count }, head, query, key) {
  const place = places[query];
  if (place < 0) return -Infinity;
  const from = place * inside;
  for (let at = 0; at < inside; at++)
    if (attended[from + at] === key) return scores[(head * count + place) * inside + at];
  return -Infinity;
}

/** Write the scores of a query; other keys are left unchanged. @param {Numbers} scores @param {Some} some */
function takeSome(scores, { places, attended, inside, count }, head, query, maps, start) {
  const place = places[query];
  if (place < 0) return;
  const from = (head * count + place) * inside;
  for (let at = 0; at < inside; at++) maps[start + attended[place * inside + at]] = scores[from + at];
}

function meanOverTokens(query, heads, tokens, size) {
  const mean = new Float64Array(heads * size);
  for (let head = 0; head < heads; head++) {
    for (let at = head * tokens * size; at < (head + 1) * tokens * size; at++)
      mean[head * size + (at % size)] += query[at] / tokens;
  }
  return mean;
}
