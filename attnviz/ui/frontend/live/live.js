// The browser's side of the live channel (attnviz/ui/live/channel.py): a model answers while a hand moves. request.py
// next to it describes requests, channel.py describes answers.

import { unpack } from "../core/payload.js";

const ALIGNMENT = 8; // of arrays in a payload
const FIRST_RETRY = 250; // milliseconds; each one waits twice as long as the one before
const LAST_RETRY = 8000;
const TRIES = 2; // for a request during which the connection is lost: it may be the cause
const LOST = "The connection to the server was lost before this could be answered.";

/** @typedef {{values: Uint8Array|Uint8ClampedArray|Int32Array|Float32Array|Float64Array, shape: number[]}} Values */

/**
 * A connection that answers one request at a time and keeps only the newest of those that wait.
 *
 *     const live = new Live((state) => say(node, words[state]));
 *     const asks = [{ checkpoint, edits, wanted }];
 *     live.ask({ pictures: [{ data: "strokes", number: 3 }], asks }, (answer) => { ... });
 *     live.close();
 */
export class Live {
  /**
   * @param {(state: "connecting"|"ready"|"lost") => void} changed called with the state of the connection; "lost" until
   *   it is back
   * @param {string|URL} url of the channel; by default that of the server of this file
   */
  constructor(changed = () => {}, url = new URL("../../../../live", import.meta.url)) {
    this.url = new URL(url);
    this.url.protocol = this.url.protocol.replace("http", "ws");
    this.changed = changed;
    this.state = null;
    this.number = 0;
    this.failures = 0;
    this.asking = null; // the request that is being answered
    this.waiting = null; // the request to send next
    this.closed = false;
    this.become("connecting");
    this.socket = this.connect();
  }

  /**
   * Send a request. One that is still waiting is dropped and gets no answer; one that is being answered runs to its
   * end. While the connection is lost, the newest request waits for it.
   * @param {{pictures: {data: string, number: number}[]|Values, prepare?: {centred: boolean}, asks: any[],
   *   arrays?: Object<string, Values>}} request
   *   pictures by name, or uint8 of shape [row, column, channel] or [picture, row, column, channel]; prepare: they are
   *   one drawn canvas, and `seen` of the answers is the models' input made from it; asks: {checkpoint, edits, wanted},
   *   as in attnviz/ui/live/request.py; arrays: those named by an edit "set"
   * @param {(answer: any) => void} hear called once for each ask, with {ask, done, checkpoint, digest, axes,
   *   parameters, milliseconds, prepared, arrays, shapes}: arrays.logits, arrays.probabilities and the wanted arrays,
   *   flat; or with {error: a sentence, done}, and `ask` if only that one failed. After `done` it is not called again.
   */
  ask(request, hear) {
    this.waiting = { request, hear, tries: 0 };
    this.next();
  }

  /** Close the connection for good; late answers are ignored. */
  close() {
    this.closed = true;
    this.asking = this.waiting = null;
    clearTimeout(this.retry);
    this.socket.close();
  }

  connect() {
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      if (this.closed) return;
      this.failures = 0;
      this.become("ready");
      this.next();
    });
    socket.addEventListener("message", (event) => this.heard(new Uint8Array(event.data)));
    socket.addEventListener("close", () => this.lost());
    return socket;
  }

  next() {
    if (this.asking || !this.waiting || this.socket.readyState !== WebSocket.OPEN) return;
    [this.asking, this.waiting] = [this.waiting, null];
    this.number += 1;
    this.asking.tries += 1;
    const { pictures, prepare, asks, arrays = {} } = this.asking.request;
    const named = Array.isArray(pictures);
    const header = { number: this.number, asks, ...(named ? { pictures } : {}), ...(prepare ? { prepare } : {}) };
    this.socket.send(pack(header, named ? arrays : { ...arrays, pictures }));
  }

  heard(bytes) {
    if (!this.asking) return;
    const { header, arrays, shapes } = unpack(bytes);
    const { number, stale, ...answer } = header;
    if (number !== null && number !== this.number) return;
    const { hear } = this.asking;
    if (answer.done) {
      this.asking = null;
      this.next(); // before anything is painted: the server computes meanwhile
    }
    if (!stale) hear({ ...answer, arrays, shapes });
  }

  lost() {
    if (this.closed) return;
    const { asking } = this;
    this.asking = null;
    this.become("lost");
    this.retry = setTimeout(() => {
      this.socket = this.connect();
    }, this.pause());
    this.failures += 1;
    if (!asking || this.waiting) return;
    if (asking.tries < TRIES) this.waiting = asking;
    else asking.hear({ error: LOST, done: true, arrays: {}, shapes: {} });
  }

  /** The delay before the next attempt: it differs between the visitors of a server that has just come back. */
  pause() {
    return Math.min(LAST_RETRY, FIRST_RETRY * 2 ** this.failures) * (0.5 + Math.random() / 2);
  }

  become(state) {
    if (state === this.state) return;
    this.state = state;
    this.changed(state);
  }
}

/**
 * Write a payload, like `pack` of attnviz/views/payload.py.
 * @param {Record<string, any>} header values that can be serialised as JSON
 * @param {Record<string, Values>} arrays each array flat, row by row, with its shape
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function pack(header, arrays) {
  const table = {};
  let size = 0;
  for (const [name, { values, shape }] of Object.entries(arrays)) {
    table[name] = { dtype: values.constructor.name.replace(/(Clamped)?Array/, "").toLowerCase(), shape, offset: size };
    size += Math.ceil(values.byteLength / ALIGNMENT) * ALIGNMENT;
  }
  const text = new TextEncoder().encode(JSON.stringify({ ...header, arrays: table }));
  const start = Math.ceil((4 + text.length) / ALIGNMENT) * ALIGNMENT;
  const bytes = new Uint8Array(start + size).fill(32, 4 + text.length, start);
  new DataView(bytes.buffer).setUint32(0, start - 4, true);
  bytes.set(text, 4);
  for (const [name, { values }] of Object.entries(arrays)) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), start + table[name].offset);
  }
  return bytes;
}
