// Hints for the visitor by the kind of pointer: a finger cannot hover and has no Escape key.

const FINGER = globalThis.matchMedia?.("(hover: none)").matches ?? false;

const WITH_FINGER = {
  lock: "tap to look, tap again to lock",
  lockBriefly: "tap twice to lock",
  locked: "locked",
  release: "Release what is locked",
  read: "tap it to read its values",
  choose: "tap a map to read its values, tap again to choose it",
  channels: "tap a map to read it, again to see all its channels below",
  above: "tap a map to see that channel above",
  switch: "tap a head to switch it off, again to make it uniform, and again to switch it on",
  drag: "drag a number, or tap one",
  bar: "slide along the bars to choose one",
  turnOff: "tap to switch it off",
  turnOn: "off: tap to switch it on",
  keys: "",
};
const WITH_MOUSE = {
  lock: "move over it, click to lock",
  lockBriefly: "click to lock",
  locked: "locked; Escape releases it",
  release: "Escape does this, too",
  read: "move over it to read its values",
  choose: "move over a map to read its values; click to choose it",
  channels: "move over a map to read it; click one to see all its channels below",
  above: "click a map to see that channel above",
  switch: "click a head to switch it off, again to make it uniform, and again to switch it on",
  drag: "drag a number; arrow keys move it, too",
  bar: "click a bar to choose it, drag it to turn it; keys: left and right choose, up and down turn",
  turnOff: "click to switch it off",
  turnOn: "off: click to switch it on",
  keys: " Arrow keys move it by a pixel, numbers choose another one, Escape goes back to the model\u2019s own path.",
};

/** The hints by subject. */
export const HINTS = FINGER ? WITH_FINGER : WITH_MOUSE;
