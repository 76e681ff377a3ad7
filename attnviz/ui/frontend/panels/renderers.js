// The renderers of panels by name: attnviz's own, and modules that other packages serve (see face.js).

import * as ink from "./ink.js";
import * as path from "./path.js";
import * as share from "./share.js";
import * as signed from "./signed.js";
import * as stages from "./stages.js";

const OWN = { ink, path, share, signed, stages };
const FOREIGN = /^[\w-]+\.[\w-]+\/[\w-]+(?:\/[\w-]+)*\.js$/; // PACKAGE.COMPONENT/FILE.js, a file of that component

/**
 * Find a renderer.
 * @param {string} name as a panel has it
 * @returns {any} a module with a function `draw`, or a promise of one: at once where it is one of attnviz's own
 */
export function rendererOf(name) {
  if (Object.hasOwn(OWN, name)) return OWN[name];
  if (!FOREIGN.test(name)) return Promise.reject(new Error(`no renderer is called ${name}`));
  // From the server that this file came from: the content policy lets nothing else in.
  return import(new URL(`../../${name}`, import.meta.url).href);
}
