"""The viewer in one page of HTML that fetches nothing, because it contains modules, styles and data."""

from __future__ import annotations

import html
import json
import zlib
from base64 import b64encode, b85encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from attnviz.figures import modules, wording
from attnviz.figures.colours import THEMES
from attnviz.views.attention import FIELDS
from attnviz.views.payload import ALIGNMENT, with_header
from attnviz.views.url_fields import Fields

if TYPE_CHECKING:
    from attnviz.figures.shown import Shown

ENTRY, GATES = "figure/attention.js", "figure/gates.js"
HOW = (
    "Move over the picture: the maps show where the token under the pointer takes its information from. A click holds "
    "it. Rows, columns and heads count from 1."
)
WITHOUT = ("live/live.js", "live/epoch_views.js", "pixel_viewer/jacobian.js", "pixel_viewer/layers.js")  # need a server
PLANES = 4  # bytes of a single-precision float, each stored as a plane
PLAIN = bytes.maketrans(b"<>&", b"/:,")  # characters with a meaning in HTML
HEIGHT = 760  # CSS pixels, in a notebook
FONTS = {
    "font": '"Source Sans 3", "Source Sans Pro", Arial, "Liberation Sans", sans-serif',  # narrow, so that lines fit
    "heading-font": '"Source Serif Pro", Georgia, serif',
    "code-font": 'ui-monospace, "Source Code Pro", monospace',
}
STYLE = """
html { background: var(--st-background-color); color: var(--st-text-color); font: 15px/1.5 var(--st-font); }
body { margin: 0 auto; padding: 16px; max-width: 1400px; }
h1 { font: 600 23px/1.3 var(--st-heading-font); margin: 0 0 4px; }
p, dl { margin: 0 0 12px; max-width: 80ch; }
.figure-controls { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; margin: 0 0 12px; }
.figure-controls input { width: min(320px, 50vw); accent-color: var(--st-primary-color); }
.figure-controls output { font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.figure-controls button { font: inherit; font-size: 14px; color: inherit; background: none; cursor: pointer;
  border: 1px solid var(--st-border-color); border-radius: 5px; padding: 2px 10px; margin-left: auto; }
:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
details { margin-top: 16px; font-size: 14px; }
dt { font-weight: 600; } dd { margin: 0 0 4px; overflow-wrap: anywhere; }
@media (pointer: coarse) { .figure-controls button, .figure-controls input { min-height: 40px; } }
"""
POLICY = "default-src 'none'; script-src '{script}'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"  # noqa: E501


def page_of(figure: Shown) -> str:
    """Return the page of a figure of attention."""
    state = _state(figure)
    about = {"names": wording.names_of(figure), "steps": figure.steps.capitalize(), "at": 0}
    shared, beginnings = _split([with_header(view.packed(), **state) for view in figure.views.values()], figure)
    return _whole(ENTRY, ["pixel_viewer"], about, state, _title(figure), HOW, figure.origin, [shared, *beginnings])


def of_parts(
    title: str, how: str, names: Sequence[str], kinds: Sequence[str], parts: Sequence[bytes],
    origin: Mapping[str, object],
) -> str:  # fmt: skip
    """Return the page of payloads, each drawn by a component: "value_bars" or "map_grid"."""
    about = {"names": [*names], "steps": "Gate", "at": 0, "kinds": [*kinds]}
    return _whole(GATES, ["value_bars", "map_grid"], about, {"fields": []}, title, how, origin, [b"", *parts])


def of_one(
    entry: str, component: str, payload: bytes, fields: Fields, title: str, how: str, origin: Mapping[str, object],
    **header: object,
) -> str:  # fmt: skip
    """Return the page of one payload, drawn by the module `entry` with the style sheet of a component and the fields of
    its view.

    `title` and `how` are its heading and its instructions; `header` contains further data for the component.
    """
    view = {"value": fields.defaults, "revision": 1, "key": "figure.view"}
    state: dict[str, object] = {"fields": fields.declared(), "state": {"view": view}, **header}
    about: dict[str, object] = {"names": [title], "steps": "", "at": 0}
    return _whole(entry, [component], about, state, title, how, origin, [b"", with_header(payload, **state)])


def told(payload: bytes) -> bytes:
    """Return the payload of a grid of maps with the settings that the app would add."""
    return with_header(payload, key="figure.maps", state={"chosen": {"value": None, "revision": 1}})


def _whole(
    entry: str, components: Sequence[str], about: dict[str, object], state: object, title: str, how: str,
    origin: Mapping[str, object], parts: Sequence[bytes],
) -> str:  # fmt: skip
    script = _script(entry)
    policy = POLICY.format(script=f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}")
    about["css"] = "".join(_css(one) for one in components)
    names = ["shared", *(f"layer-{number}" for number in range(len(parts) - 1))]
    layers = "".join(
        f'<script type="text/plain" id="{name}">{_compressed(part)}</script>\n'
        for name, part in zip(names, parts, strict=True)
    )
    said = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(str(value))}</dd>" for name, value in origin.items())
    title = html.escape(title)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{_themes()}{STYLE}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p>{how}</p>
<div id="figure"></div>
<details><summary>Where this comes from</summary><dl>{said}</dl></details>
</main>
{_json("about", about)}
{_json("state", state)}
{layers}<script>{script}</script>
</body>
</html>
"""


def for_notebook(page: str, words: str, png: bytes) -> str:
    """Return a page in a frame, followed by a picture in case a notebook does not show the frame."""
    picture, words = b64encode(png).decode(), html.escape(words)
    return (
        f'<iframe title="{words}" srcdoc="{html.escape(page)}" sandbox="allow-scripts allow-downloads" '
        f'style="width: 100%; height: {HEIGHT}px; border: 0" loading="lazy"></iframe>'
        "<details><summary>If there is no viewer above, trust this notebook, or look at the picture.</summary>"
        f'<img alt="{words}" src="data:image/png;base64,{picture}" style="width: 100%; max-width: 650px"></details>'
    )


def _title(figure: Shown) -> str:
    model = str(figure.origin.get("model", "a model")).rpartition(".")[2]
    recipe = figure.origin.get("recipe")
    return f"Attention of {model}{f', {recipe}' if recipe else ''}"


def _state(figure: Shown) -> dict[str, object]:
    """Return the viewer's settings."""
    choice = figure.choice
    view = next(iter(figure.views.values()))
    token = choice.token(view)
    place = [-1, token] if token < view.prefix else [*divmod(token - view.prefix, view.columns)]
    head = choice.heads_of(view)[0]
    held = {} if choice.query is None else {"key" if choice.direction != "from" else "query": place}
    asked = {"head": head, "show": choice.show, "direction": choice.direction, "scale": choice.scale, **held}
    value = {"value": FIELDS.complete(asked), "revision": 1, "key": "figure.view"}
    return {"fields": FIELDS.declared(), "state": {"view": value}, "asked": None, "plain": False}


def _split(payloads: list[bytes], figure: Shown) -> tuple[bytes, list[bytes]]:
    """Return the common end of all layers, which is the photograph, and their beginnings."""
    backgrounds = [view.background for view in figure.views.values()]
    if any(one is None or one is not backgrounds[0] for one in backgrounds):
        return b"", payloads
    assert backgrounds[0] is not None
    size = -(-backgrounds[0].nbytes // ALIGNMENT) * ALIGNMENT
    return payloads[0][-size:], [payload[:-size] for payload in payloads]


def _compressed(data: bytes) -> str:
    """Return compressed bytes in base 85: the first bytes of all floats, then the second ones, ..., to save space."""
    planes = np.frombuffer(data + bytes(-len(data) % PLANES), np.uint8).reshape(-1, PLANES).T
    return b85encode(zlib.compress(planes.tobytes(), 9)).translate(PLAIN).decode()


def _json(name: str, value: object) -> str:
    """Return JSON in an element that no browser runs. A "<" is escaped, since it could end the element."""
    text = json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'


def _themes() -> str:
    def of(name: str) -> str:
        rules = {**THEMES[name], **FONTS}
        return "".join(f"--st-{one}: {value}; " for one, value in rules.items()) + f"color-scheme: {name};"

    return (
        f":root {{ {of('light')} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {of('dark')} }} }}\n"
        f':root[data-theme="light"] {{ {of("light")} }}\n:root[data-theme="dark"] {{ {of("dark")} }}\n'
    )


@cache
def _script(entry: str) -> str:
    return modules.together(entry, WITHOUT).replace("</script", "<\\/script")


@cache
def _css(component: str) -> str:
    return modules.styles(f"{component}/{component}.css")
