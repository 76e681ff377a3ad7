"""What can be wrong with a mechanism: faults, each of which is put into one of the mechanisms that there are.

Faults of different fields, or of different mechanisms, are there at once: `ROUNDS` holds all of them a few times over.
"""

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from attnviz import Reading
from attnviz.errors import BadInput
from attnviz.ui.components.component import FRONTEND
from attnviz.ui.components.panel import Panel
from attnviz.ui.live.derived import Derived, NoParameters
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.mechanisms.mechanism import FurtherPage, HomePicture, Mechanism, OnDrawing

CHECKPOINTS = {
    "cnn_attention": "cnn_attention.digits",
    "channel_attention": "channel_attention.digits",
    "element_wise": "element_wise.digits",
    "spatial_transformer": "spatial_transformer.rotated",
}
"""Mechanisms that can have any fault, and whose panels are looked at."""

LIVE = "pixel_attention"  # whose live picture is on the home page
UNSEEN = "sequences"  # which has no panel of this task
ALIKE = {"further": "page", "url": "page"}  # a page that is nowhere would hide what else is wrong with it


@dataclass(frozen=True)
class Fault:
    """Something that is wrong with a mechanism.

    Args:
        fields: of its row, made in an empty folder, from the row without the fault.
        said: part of the sentence on the page concerned; "" where nobody would see a difference.
        where: the page concerned: "home", "draw", "its page", or "live", an answer of the live channel.
        row: the only mechanism that can have it; None for any.
    """

    fields: Callable[[Path, Mechanism], Mapping[str, Any]]
    said: str = ""
    where: str = "draw"
    row: str | None = None


def raises(error: BaseException) -> Callable[..., Any]:
    """Return a function that raises an error, whatever it is called with."""

    def function(*_: object) -> Any:
        raise error

    return function


def panel(wanted: Mapping[str, Any], **options: Any) -> Callable[..., Panel]:
    """Return a function that returns a panel that wants something."""
    return lambda net: Panel("Faulty", "blocks", "ink", "what is wrong", wanted, **options)


def ones(*_: object) -> Reading:
    """Return a derived value that is right."""
    return Reading("faulty", torch.ones(1, 6, 6), ("batch", "row", "column"))


def derived(row: Mechanism, compute: Callable[..., Any] = ones, **more: Any) -> dict[str, Any]:
    """Return the fields of a row with one derived value, which its panel wants."""
    name = f"faulty_{row.name}"
    return {"derived": lambda: (Derived(name, NoParameters, compute, **more),), "panel": panel({"derived": name})}


def slowly(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes a second."""

    def wait(*given: Any) -> Any:
        time.sleep(1)  # the fault itself: no test waits by it, and no event could end it
        return function(*given)

    return wait


def module(folder: Path, name: str, text: str) -> str:
    """Write a Python module, and return its name."""
    (folder / f"{name}.py").write_text(text)
    sys.modules.pop(name, None)
    return name


def component(folder: Path, **files: str | bytes | None) -> dict[str, Any]:
    """Write a component's files, which the page preloads, and return the fields of its row; None leaves one out."""
    for kind, text in {"js": "export default () => {};", "css": "", **files}.items():
        if text is not None:
            (folder / f"faulty.{kind}").write_bytes(text if isinstance(text, bytes) else text.encode())
    return {"preload": ("faulty.faulty",), "frontend": folder}


def page(folder: Path, text: str) -> dict[str, str]:
    """Write a page, and return the field of its row."""
    (folder / "faulty_page.py").write_text(text)
    return {"page": str(folder / "faulty_page.py")}


SENTENCE = BadInput("There are no blocks.")
BROKEN = RuntimeError("broken")
LOG, NOT_EXPECTED = "could not give its {}. The server's log says why.", "did not expect"
PANEL = LOG.format("panel")

FAULTS: dict[str, Fault] = {
    # What its panel shows
    "panel raises": Fault(lambda *_: {"panel": raises(BROKEN)}, PANEL),
    "panel raises a sentence": Fault(lambda *_: {"panel": raises(SENTENCE)}, "could not give its panel. There are no"),
    "panel ends Python": Fault(lambda *_: {"panel": raises(SystemExit())}, PANEL),
    "panel returns nothing": Fault(lambda *_: {"panel": lambda net: None}, PANEL),
    "panel returns words": Fault(lambda *_: {"panel": lambda net: "a panel"}, PANEL),
    "panel has rows in words": Fault(lambda *_: {"panel": panel({}, rows="six")}, "could not give its panel. A panel"),
    "panel wants what JSON cannot say": Fault(lambda *_: {"panel": panel({"derived": {1, 2}})}, "JSON cannot say"),
    "panel wants NaN": Fault(lambda *_: {"panel": panel({}, options={"boxes": [float("nan")]})}, "JSON cannot say"),
    "panel takes a second": Fault(lambda _, row: {"panel": slowly(row.panel)}),
    "panel wants what there is not": Fault(
        lambda *_: {"panel": panel({"derived": "nothing"})}, "no derived", where="live"
    ),
    "panel wants nonsense": Fault(
        lambda *_: {"panel": panel({"derived": "mean_row", "parameters": {"layer": 3}})}, "cannot be used", where="live"
    ),
    # Derived values
    "derived raises": Fault(
        lambda _, row: {**derived(row), "derived": raises(BROKEN)}, "could not give its derived", where="live"
    ),
    "derived returns nothing": Fault(
        lambda _, row: {**derived(row), "derived": lambda: None}, "could not give its derived", where="live"
    ),
    "derived returns words": Fault(
        lambda _, row: {**derived(row), "derived": lambda: ("faulty",)}, "could not give its derived", where="live"
    ),
    "derived has numbers as parameters": Fault(
        lambda _, row: {**derived(row), "derived": lambda: (Derived("faulty", 3, ones),)},
        "could not give", where="live",
    ),
    "derived takes another's name": Fault(
        lambda _, row: {**derived(row), "derived": lambda: (Derived("jacobian", NoParameters, raises(BROKEN)),)},
        "no derived value", where="live",
    ),
    "derived takes a second": Fault(
        lambda _, row: {**derived(row), "derived": slowly(derived(row)["derived"])}, where="live"
    ),
    "compute raises": Fault(lambda _, row: derived(row, compute=raises(BROKEN)), NOT_EXPECTED, where="live"),
    "compute returns words": Fault(
        lambda _, row: derived(row, compute=lambda context: "ones"), NOT_EXPECTED, where="live"
    ),
    "compute takes a second": Fault(lambda _, row: derived(row, compute=slowly(ones)), where="live"),
    "taps raise": Fault(lambda _, row: derived(row, taps=raises(BROKEN)), NOT_EXPECTED, where="live"),
    "taps are none of the model": Fault(
        lambda _, row: derived(row, taps=lambda given: ("no.tap",)), "no.tap", where="live"
    ),
    "settle raises": Fault(lambda _, row: derived(row, settle=raises(BROKEN)), NOT_EXPECTED, where="live"),
    "cost raises": Fault(lambda _, row: derived(row, cost=raises(BROKEN)), NOT_EXPECTED, where="live"),
    "run returns words": Fault(lambda _, row: derived(row, run=lambda context: "logits"), NOT_EXPECTED, where="live"),
    "run returns NaN": Fault(
        lambda _, row: derived(row, run=lambda context: torch.full((1, 10), torch.nan)), "too large", where="live"
    ),
    # What it offers about a drawing
    "an offer raises": Fault(
        lambda *_: {"on_drawing": OnDrawing("faulty", raises(BROKEN))}, LOG.format("offer"), where="below the panels"
    ),
    # Home
    "live raises": Fault(lambda *_: {"live": raises(BROKEN)}, LOG.format("live picture"), "home", LIVE),
    "live ends Python": Fault(lambda *_: {"live": raises(SystemExit())}, LOG.format("live picture"), "home", LIVE),
    "home without its picture": Fault(
        lambda folder, _: {"home": HomePicture(folder / "none.png", "nothing", {})}, LOG.format("link"), where="home"
    ),
    "home leads to a number": Fault(
        lambda _, row: {"home": replace(row.home, view=3)}, LOG.format("link"), where="home"
    ),
    # Pages
    "no file of its page": Fault(
        lambda folder, _: {"page": str(folder / "none.py")}, LOG.format("page"), where="its page"
    ),
    "page is no Python": Fault(lambda folder, _: page(folder, "this is no Python"), where="its page"),
    "page raises": Fault(lambda folder, _: page(folder, "1 / 0"), where="its page"),
    "page at another's URL": Fault(lambda *_: {"url": "draw"}),
    "page at no URL": Fault(lambda *_: {"url": "a/b"}),
    "a further page at another's URL": Fault(
        lambda *_: {"further": (FurtherPage("Paper", "15_paper.py", "results"),)}
    ),
    # What is imported and preloaded
    "imports what is not there": Fault(lambda *_: {"imports": ("no_such_module",)}),
    "imports what raises": Fault(lambda folder, _: {"imports": (module(folder, "faulty_sum", "1 / 0"),)}),
    "imports what ends Python": Fault(
        lambda folder, _: {"imports": (module(folder, "faulty_end", "raise SystemExit"),)}
    ),
    "CSS imports what is not there": Fault(lambda folder, _: component(folder, css='@import "../none.css";')),
    "CSS imports itself": Fault(lambda folder, _: component(folder, css='@import "faulty.css";')),
    "CSS is not text": Fault(lambda folder, _: component(folder, css=b"\xff\xfe")),
    "JavaScript is not there": Fault(lambda folder, _: component(folder, js=None)),
    "JavaScript imports what is not there": Fault(lambda folder, _: component(folder, js='import x from "./none.js";')),
    "JavaScript imports itself": Fault(lambda folder, _: component(folder, js='import x from "./faulty.js";')),
    "no folder of components": Fault(lambda folder, _: {**component(folder), "frontend": folder / "none"}),
    # Of what it shows
    "is_control raises": Fault(lambda *_: {"is_control": raises(BROKEN)}),
    "is_control returns words": Fault(lambda *_: {"is_control": lambda config: ""}),
    "models that are not there": Fault(
        lambda *_: {"models": ("none",), "controls": ("none",), "panels": ("none",)}, row=UNSEEN
    ),
    "papers that are not there": Fault(lambda *_: {"papers": ("none",)}),
}  # fmt: skip

Round = Mapping[str, Sequence[str]]
"""Mechanism -> the names of its faults, all of which are there at once."""


def _rounds() -> list[Round]:
    """Put each fault into the first round in which a mechanism has no other fault in the same fields."""
    found: list[dict[str, list[str]]] = []
    taken: list[set[tuple[str, str]]] = []
    with TemporaryDirectory() as folder:
        for name, fault in FAULTS.items():
            for at in count():
                if at == len(found):
                    found.append({})
                    taken.append(set())
                for row in [fault.row] if fault.row else CHECKPOINTS:
                    fields = {(row, ALIKE.get(one, one)) for one in fault.fields(Path(folder), MECHANISMS[row])}
                    if not fields & taken[at]:
                        taken[at] |= fields
                        found[at].setdefault(row, []).append(name)
                        break
                else:
                    continue
                break
    return found


ROUNDS = _rounds()


def put(faults: Round, folder: Path) -> dict[str, Mechanism]:
    """Return the rows with the faults of a round; each has a folder of its own."""
    found = {}
    for name, its in faults.items():
        (folder / name).mkdir()
        fields = [FAULTS[fault].fields(folder / name, MECHANISMS[name]) for fault in its]
        found[name] = replace(MECHANISMS[name], **{field: one for each in fields for field, one in each.items()})
    return found


# A row whose fields have other types is not made at all; the table then goes on without it.
WRONG: dict[str, Mapping[str, Any]] = {
    "a title that is none": {"title": None},
    "a list of models": {"models": ["cnn_attention"]},
    "models that are numbers": {"models": (1, 2)},
    "a panel that is words": {"panel": "panel"},
    "a live picture that is words": {"live": "live"},
    "a home that is a file": {"home": Path("home.png")},
    "a further page that is a file": {"further": ("15_paper.py",)},
    "what has moved to one word": {"moved": {"old": "new"}},
    "what has moved as a list": {"moved": [("old", ("new", "name"))]},
    "an offer that is a function": {"on_drawing": print},
    "a height that is a number": {"heights": {"viewer": 300}},
    "a folder that is words": {"frontend": str(FRONTEND)},
}
