// The viewer of a notebook with a kernel: it chooses a layer and heads, and the kernel sends the page that shows them.

/**
 * What anywidget gives a widget.
 *
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {() => void} save_changes
 * @property {(event: string, act: () => void) => void} on
 * @property {(event: string, act: () => void) => void} off
 */

let count = 0; // of widgets, for the ids of their labels

/**
 * Draw a widget.
 *
 * @param {{model: Model, el: HTMLElement}} given
 * @returns {() => void} what is done when it leaves
 */
function render({ model, el }) {
  const number = (count += 1);
  const label = add(el, "label", "Layer ");
  label.htmlFor = `attnviz-layer-${number}`;
  const choice = add(el, "select");
  choice.id = label.htmlFor;
  model.get("layers").forEach((/** @type {string} */ name, /** @type {number} */ place) => {
    add(choice, "option", `${place}: ${name}`).value = String(place);
  });
  const heads = add(el, "fieldset");
  const status = add(el, "p");
  status.setAttribute("role", "status");
  const frame = add(el, "iframe");
  frame.title = "Attention of the layer";
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.style.cssText = `width: 100%; height: ${model.get("height")}px; border: 0`;

  /** @param {string} name @param {any} value */
  const ask = (name, value) => {
    status.textContent = "Computing ...";
    model.set(name, value);
    model.save_changes();
  };

  choice.addEventListener("change", () => ask("layer", Number(choice.value)));

  const drawHeads = () => {
    const layer = model.get("layer");
    choice.value = String(layer);
    heads.replaceChildren();
    add(heads, "legend", "Heads of this layer that are on");
    for (let head = 0; head < model.get("heads")[layer]; head++) {
      const one = add(heads, "label");
      const box = add(one, "input");
      box.type = "checkbox";
      box.checked = !model.get("off").some((/** @type {number[]} */ [at, which]) => at === layer && which === head);
      one.append(` ${head} `);
      box.addEventListener("change", () => {
        const others = model.get("off").filter((/** @type {number[]} */ [at, which]) => at !== layer || which !== head);
        ask("off", box.checked ? others : [...others, [layer, head]]);
      });
    }
  };

  const drawPage = () => {
    frame.srcdoc = model.get("page");
    frame.hidden = !model.get("page");
    status.textContent = model.get("said");
  };

  /** @type {[string, () => void][]} */
  const listened = [
    ["change:layer", drawHeads],
    ["change:off", drawHeads],
    ["change:page", drawPage],
    ["change:said", drawPage],
  ];
  for (const [event, act] of listened) model.on(event, act);
  drawHeads();
  drawPage();
  return () => listened.forEach(([event, act]) => model.off(event, act));
}

/**
 * Add an element at the end of another one.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {HTMLElement} parent
 * @param {Tag} tag
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
function add(parent, tag, text = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  parent.append(made);
  return made;
}

export default { render };
