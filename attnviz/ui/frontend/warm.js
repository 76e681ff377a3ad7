// Tells the server that the first page has been painted, so that it may load torch (see attnviz/ui/warm.py).

let told = false;

export default function () {
  if (told) return;
  told = true;
  const whenIdle = window.requestIdleCallback ?? ((callback) => requestAnimationFrame(() => setTimeout(callback)));
  // The address is taken from this module's own: the app may live below a path.
  whenIdle(() => fetch(new URL("../../../attnviz/warm", import.meta.url)).catch(() => {}));
}
