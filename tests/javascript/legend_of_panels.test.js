// The legend of the draw page: of what its panels show, and of nothing else; and the room of their pictures.

import assert from "node:assert/strict";
import test from "node:test";

import { fitted } from "../../attnviz/ui/frontend/draw/arrays.js";
import { legendOf } from "../../attnviz/ui/frontend/draw/maps_note.js";

/** @type {(shows: any, ...renderers: string[]) => {renderer: string, shows: any}[]} */
const panels = (shows, ...renderers) => renderers.map((renderer) => ({ renderer, shows }));
const maps = (...renderers) => legendOf(panels("map", ...renderers), true);

test("panels that show pictures and paths have no legend", () => {
  for (const renderers of [[], ["ink"], ["ink", "path"], ["some.component/own.js"]]) {
    const { kind, ends, note } = maps(...renderers);
    assert.deepEqual([kind, ends, note], [null, null, ""]);
  }
});

test("shares are explained where there are some, and values around zero where there are some", () => {
  const share = maps("share", "ink");
  assert.deepEqual([share.kind, share.unit], ["share", "an even share"]);
  assert.match(share.note, /even share.*outline of the ink/);
  assert.doesNotMatch(share.note, /ochre/);
  const signed = maps("signed");
  assert.equal(signed.kind, "signed");
  assert.match(signed.note, /What a pixel adds/);
  assert.doesNotMatch(signed.note, /share|zero/);
  assert.match(maps("stages").note, /violet is above zero/);
  assert.equal(maps("signed", "share").kind, "share");
});

test("a photograph has no outline, and neither has its legend", () =>
  assert.doesNotMatch(legendOf(panels("map", "share", "signed", "stages"), false).note, /ink/));

test("a change is explained for what changes", () => {
  const change = (...renderers) => legendOf(panels("change", ...renderers), true);
  assert.match(change("share").note, /^Multiples of the pinned share\. The thin/);
  assert.match(change("share", "signed").note, /pinned share\. Violet is more than before/);
  assert.deepEqual([change("ink").kind, change("ink").note], ["signed", "Violet is more than before, ochre is less."]);
  assert.equal(change("path").kind, null);
});

test("where some panels show a change the end of the scale says of what, and the others keep their words", () => {
  const change = panels("change", "share");
  assert.equal(legendOf(change, true).unit, "the pinned share");
  const mixed = legendOf([...change, ...panels("map", "signed")], true);
  assert.match(mixed.note, /pinned share\. What a pixel adds/);
  assert.doesNotMatch(mixed.note, /more than before/);
});

test("Jacobians have a legend of their own, and panels without one keep theirs", () => {
  const { kind, ends, note } = legendOf(panels("jacobian", "ink"), true);
  assert.deepEqual([kind, ends?.[0], ends?.[4]], ["signed", "lowers it", "raises it"]);
  assert.match(note, /^Violet where more intensity raises .* per unit of intensity/);
  assert.doesNotMatch(note, /What a pixel adds/);
  const mixed = legendOf([...panels("jacobian", "share"), ...panels("map", "signed")], true);
  assert.equal(mixed.kind, "signed");
  assert.equal(legendOf([...panels("jacobian", "ink"), ...panels("map", "share")], true).kind, "signed");
  assert.match(mixed.note, /per unit of intensity.*What a pixel adds/);
});

test("a picture that is not square keeps its proportions in a square room", () => {
  assert.deepEqual(fitted(200, [28, 28]), [200, 200]);
  assert.deepEqual(fitted(200, [60, 40]), [133, 200]);
  assert.deepEqual(fitted(200, [32, 100]), [200, 64]);
});
