// What the pad for strips sends: a drawing made smaller, as text.

import assert from "node:assert/strict";
import test from "node:test";

import { toBase64 } from "../../attnviz/ui/frontend/core/base64.js";
import { isEmpty, shortened } from "../../attnviz/ui/frontend/strip_pad/derive.js";
import { StripPad } from "../../attnviz/ui/frontend/strip_pad/strip_pad.js";

test("a drawing is made smaller by the mean over squares", () => {
  const values = Uint8Array.from([10, 20, 0, 0, 30, 40, 0, 200, 0, 0, 255, 255, 0, 0, 255, 255]);
  assert.deepEqual([...shortened(values, 4, 2)], [25, 50, 0, 255]);
  assert.deepEqual([...shortened(values, 4, 4)], [...values]);
});

test("bytes are written as base64, and paper alone is empty", () => {
  assert.equal(toBase64(Uint8Array.from([0, 255, 16])), "AP8Q");
  assert.ok(isEmpty(new Uint8Array(9)));
  assert.ok(!isEmpty(Uint8Array.from([0, 1])));
});

test("each message repeats the requests that Python has not confirmed", () => {
  const sent = [];
  const pad = Object.assign(Object.create(StripPad.prototype), {
    ...{ last: 0, requests: [], header: { confirmed: 0 } },
    trigger: (_, requests) => sent.push(requests.map(({ number, does }) => `${number} ${does}`)),
    draw() {},
  });
  pad.ask("add", { canvas: "AAAA" });
  pad.ask("back");
  pad.header = { confirmed: 1 };
  pad.takeData();
  pad.ask("clear");
  assert.deepEqual(sent, [["1 add"], ["1 add", "2 back"], ["2 back", "3 clear"]]);
});

test("a pad mounted again continues the numbers of the requests", () => {
  const sent = [];
  const pad = Object.assign(Object.create(StripPad.prototype), {
    ...{ last: 0, requests: [], header: { confirmed: 7 }, draw() {} },
    trigger: (_, requests) => sent.push(...requests),
  });
  pad.takeData();
  pad.ask("back");
  assert.deepEqual(sent, [{ number: 8, does: "back" }]);
});
