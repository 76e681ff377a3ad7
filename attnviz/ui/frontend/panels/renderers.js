// The renderers of panels by name: those that several mechanisms use, and modules of a single one (see face.js).

import * as bars from "./bars.js";
import { ink, share, signed } from "./maps.js";
import * as stages from "./stages.js";

const OWN = { bars, ink, share, signed, stages };
// PACKAGE.COMPONENT/FILE.js, a file of that component; FOLDER/FILE.js, one of attnviz's own front end
const MODULE = /^(?<component>[\w-]+\.[\w-]+\/)?[\w-]+(?:\/[\w-]+)*\.js$/;

/**
 * Find a renderer.
 * @param {string} name as in a panel
 * @returns {any} a module with a function `draw`, or a promise of one: the module itself if several mechanisms use it
 */
export function rendererOf(name) {
  if (Object.hasOwn(OWN, name)) return OWN[name];
  const found = MODULE.exec(name);
  if (!found) return Promise.reject(new Error(`no renderer is called ${name}`));
  // From the server of this file: the content policy allows nothing else.
  return import(new URL(`${found.groups?.component ? "../.." : ".."}/${name}`, import.meta.url).href);
}
