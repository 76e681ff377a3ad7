// Tells the server that the first page has been painted, so that it may load torch (see attnviz/ui/warm.py).

const CALM = 1500; // milliseconds: a visitor who clicks at once is answered before torch takes a processor

let told = false;

export default function () {
  if (told) return;
  told = true;
  // The address is taken from this module's own: the app may live below a path.
  setTimeout(() => fetch(new URL("../../../attnviz/warm", import.meta.url)).catch(() => {}), CALM);
}
