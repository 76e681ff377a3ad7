// The legend of the draw page: of what its panels show, and of nothing else; and the room of their pictures.

import assert from "node:assert/strict";
import test from "node:test";

import { fitted } from "../../attnviz/ui/frontend/draw/arrays.js";
import { legendOf } from "../../attnviz/ui/frontend/draw/maps_note.js";

const HOW = { slopes: false, change: false, ink: true };

test("panels that show pictures and paths have no legend", () => {
  for (const renderers of [[], ["ink"], ["ink", "path"], ["some.component/own.js"]])
    assert.deepEqual(legendOf(renderers, HOW), { kind: null, ends: null, note: "" });
});

test("shares are explained where there are some, and values around zero where there are some", () => {
  const share = legendOf(["share", "ink"], HOW);
  assert.equal(share.kind, "share");
  assert.match(share.note, /even share.*outline of the ink/);
  assert.doesNotMatch(share.note, /ochre/);
  const signed = legendOf(["signed"], HOW);
  assert.equal(signed.kind, "signed");
  assert.match(signed.note, /What a pixel adds/);
  assert.doesNotMatch(signed.note, /share|zero/);
  assert.match(legendOf(["stages"], HOW).note, /violet is above zero/);
  assert.equal(legendOf(["signed", "share"], HOW).kind, "share");
});

test("a photograph has no outline, and neither has its legend", () =>
  assert.doesNotMatch(legendOf(["share", "signed", "stages"], { ...HOW, ink: false }).note, /ink/));

test("a change is explained for what changes", () => {
  const change = (...renderers) => legendOf(renderers, { ...HOW, change: true });
  assert.match(change("share").note, /^Multiples of the pinned share\. The thin/);
  assert.match(change("share", "signed").note, /pinned share\. Violet is more than before/);
  assert.deepEqual([change("ink").kind, change("ink").note], ["signed", "Violet is more than before, ochre is less."]);
  assert.equal(change("path").kind, null);
});

test("Jacobians have a legend of their own, whatever the panels show otherwise", () => {
  const { kind, ends, note } = legendOf(["ink"], { ...HOW, slopes: true });
  assert.deepEqual([kind, ends?.[0], ends?.[4]], ["signed", "lowers it", "raises it"]);
  assert.match(note, /^Violet where more intensity raises .* per unit of intensity/);
});

test("a picture that is not square keeps its proportions in a square room", () => {
  assert.deepEqual(fitted(200, [28, 28]), [200, 200]);
  assert.deepEqual(fitted(200, [60, 40]), [133, 200]);
  assert.deepEqual(fitted(200, [32, 100]), [200, 64]);
});
