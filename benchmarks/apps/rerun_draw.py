"""The draw page as one would build it without a live channel: every movement of the pointer runs the page again.

The same canvas, the same preparation, the same models, the same numbers on a card; pictures and bars are Streamlit's.
"""

import base64

import numpy as np
import streamlit as st

from attnviz import subjects
from attnviz.data.inputs import digit
from attnviz.ui.components.panel import MAP
from attnviz.ui.derived_values import find
from attnviz.ui.draw import panels
from attnviz.ui.live.answer import ask_model
from attnviz.ui.live.request import Ask, DerivedWanted
from attnviz.ui.shared import cache

PAD = """export default function ({ parentElement, setStateValue }) {
  if (parentElement.querySelector("canvas")) return;
  const canvas = Object.assign(document.createElement("canvas"), { width: 280, height: 280, id: "pad" });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  Object.assign(pen, { lineWidth: 24, lineCap: "round", lineJoin: "round" });
  canvas.style.border = "1px solid";
  let count = 0;
  canvas.addEventListener("pointerdown", (event) => { pen.beginPath(); pen.moveTo(event.offsetX, event.offsetY); });
  canvas.addEventListener("pointermove", (event) => {
    if (!event.buttons) return;
    pen.lineTo(event.offsetX, event.offsetY);
    pen.stroke();
    const { data } = pen.getImageData(0, 0, 280, 280);
    const ink = new Uint8Array(78400).map((_, at) => data[4 * at + 3]);
    let text = "";
    for (let at = 0; at < ink.length; at += 8192) text += String.fromCharCode(...ink.subarray(at, at + 8192));
    setStateValue("drawn", { number: ++count, ink: btoa(text) });
  });
  parentElement.append(canvas);
}"""


def main() -> None:
    """Draw the page."""
    st.set_page_config(layout="wide")
    left, right = st.columns([2, 3])
    with left:
        pad = st.components.v2.component("rerun_draw.pad", js=PAD)
        drawn = (pad(key="pad", on_drawn_change=lambda: None) or {}).get("drawn") or {"number": 0, "ink": ""}
    canvas = np.frombuffer(base64.b64decode(drawn["ink"]), np.uint8).reshape(280, 280) if drawn["ink"] else None
    picture = panels.first_task().sample() if canvas is None else digit.prepare(canvas).picture
    left.image(picture, width=112)
    models = panels.describe(panels.chosen())
    columns = right.columns(3)
    for number, model in enumerate(models):
        with columns[number % 3].container(border=True):
            card(model, picture)
    st.html(f'<p id="shown">{drawn["number"]}</p>')


def card(model: dict, picture: np.ndarray) -> None:
    """Draw the card of one model."""
    loaded = cache.single(subjects.net(model["checkpoint"]))
    asked = Ask.model_validate({"checkpoint": loaded.net.key, "wanted": model["wanted"]}, strict=True)
    for wanted in asked.wanted.values():
        if isinstance(wanted, DerivedWanted):
            wanted.found_by(find)
    said = ask_model(loaded, asked, loaded.net.fitted(picture[:, :, None])[None], {})
    logits = said.logits[0].double().numpy()
    share = 1 / (1 + np.exp(-logits)) if len(logits) == 1 else np.exp(logits - logits.max())
    found = np.array([1 - share[0], share[0]]) if len(logits) == 1 else share / share.sum()
    st.subheader(f"{model['classes'][int(found.argmax())]} {model['title']}")
    shown = picture / 255
    values = said.found[MAP][1][0].numpy().reshape(-1)[model["prefix"] :] if MAP in said.found else np.empty(0)
    if values.size == model["rows"] * model["columns"] > 0:  # one map; stages of layers and paths are several
        values = values.reshape(model["rows"], model["columns"])
        shown = (values - values.min()) / max(float(np.ptp(values)), 1e-9)
    st.image(shown, width=200)
    st.bar_chart({"class": model["classes"], "probability": found}, x="class", y="probability", height=120)
    st.caption(f"{model['parameters']} parameters, {said.milliseconds:.1f} ms")


main()
