"""What can be wrong with a mechanism: faults, each of which is put into one of the mechanisms that there are."""

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from attnviz import Reading
from attnviz.errors import BadInput
from attnviz.ui.components.component import FRONTEND
from attnviz.ui.components.panel import Panel
from attnviz.ui.live.derived import Derived, NoParameters
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.mechanisms.mechanism import FurtherPage, HomePicture, Mechanism, OnDrawing

ROW, CHECKPOINT = "cnn_attention", "cnn_attention.digits"
LIVE = "pixel_attention"  # whose live picture is on the home page


@dataclass(frozen=True)
class Fault:
    """Something that is wrong with a mechanism.

    Args:
        fields: of its row, made in an empty folder.
        said: part of the sentence on the page concerned; "" where nobody would see a difference.
        row: the mechanism.
        where: the page concerned: "home", "draw", "its page", or "live", an answer of the live channel.
    """

    fields: Callable[[Path], Mapping[str, Any]]
    said: str = ""
    row: str = ROW
    where: str = "draw"

    def put(self, folder: Path) -> Mechanism:
        """Return the row with the fault."""
        return replace(MECHANISMS[self.row], **self.fields(folder))


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


def derived(parameters: Any = NoParameters, compute: Callable[..., Any] = ones, **more: Any) -> dict[str, Any]:
    """Return the fields of a row with one derived value, which its panel wants."""
    return {"derived": lambda: (Derived("faulty", parameters, compute, **more),), "panel": panel({"derived": "faulty"})}


def slowly(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes a second."""

    def wait(*given: Any) -> Any:
        time.sleep(1)  # the fault itself: no test waits by it, and no event could end it
        return function(*given)

    return wait


def module(folder: Path, text: str) -> str:
    """Write a Python module, and return its name."""
    (folder / "faulty_module.py").write_text(text)
    sys.modules.pop("faulty_module", None)
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return "faulty_module"


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
    "panel raises": Fault(lambda _: {"panel": raises(BROKEN)}, PANEL),
    "panel raises a sentence": Fault(lambda _: {"panel": raises(SENTENCE)}, "could not give its panel. There are no"),
    "panel ends Python": Fault(lambda _: {"panel": raises(SystemExit())}, PANEL),
    "panel returns nothing": Fault(lambda _: {"panel": lambda net: None}, PANEL),
    "panel returns words": Fault(lambda _: {"panel": lambda net: "a panel"}, PANEL),
    "panel has rows in words": Fault(lambda _: {"panel": panel({}, rows="six")}, "could not give its panel. A panel"),
    "panel wants what JSON cannot say": Fault(lambda _: {"panel": panel({"derived": {1, 2}})}, "JSON cannot say"),
    "panel wants NaN": Fault(lambda _: {"panel": panel({}, options={"boxes": [float("nan")]})}, "JSON cannot say"),
    "panel takes a second": Fault(lambda _: {"panel": slowly(MECHANISMS[ROW].panel)}),
    "panel wants what there is not": Fault(
        lambda _: {"panel": panel({"derived": "nothing"})}, "no derived", where="live"
    ),
    "panel wants nonsense": Fault(
        lambda _: {"panel": panel({"derived": "mean_row", "parameters": {"layer": 3}})}, "cannot be used", where="live"
    ),
    # Derived values
    "derived raises": Fault(
        lambda _: {**derived(), "derived": raises(BROKEN)}, "could not give its derived", where="live"
    ),
    "derived returns nothing": Fault(
        lambda _: {**derived(), "derived": lambda: None}, "could not give its derived", where="live"
    ),
    "derived returns words": Fault(
        lambda _: {**derived(), "derived": lambda: ("faulty",)}, "could not give its derived", where="live"
    ),
    "derived has numbers as parameters": Fault(
        lambda _: {**derived(), "derived": lambda: (Derived("faulty", 3, ones),)}, "could not give", where="live"
    ),
    "derived takes another's name": Fault(
        lambda _: {**derived(), "derived": lambda: (Derived("jacobian", NoParameters, raises(BROKEN)),)},
        "no derived value", where="live",
    ),
    "derived takes a second": Fault(lambda _: {**derived(), "derived": slowly(derived()["derived"])}, where="live"),
    "compute raises": Fault(lambda _: derived(compute=raises(BROKEN)), NOT_EXPECTED, where="live"),
    "compute returns words": Fault(lambda _: derived(compute=lambda context: "ones"), NOT_EXPECTED, where="live"),
    "compute takes a second": Fault(lambda _: derived(compute=slowly(ones)), where="live"),
    "taps raise": Fault(lambda _: derived(taps=raises(BROKEN)), NOT_EXPECTED, where="live"),
    "taps are none of the model": Fault(lambda _: derived(taps=lambda given: ("no.tap",)), "no.tap", where="live"),
    "settle raises": Fault(lambda _: derived(settle=raises(BROKEN)), NOT_EXPECTED, where="live"),
    "cost raises": Fault(lambda _: derived(cost=raises(BROKEN)), NOT_EXPECTED, where="live"),
    "run returns words": Fault(lambda _: derived(run=lambda context: "logits"), NOT_EXPECTED, where="live"),
    "run returns NaN": Fault(
        lambda _: derived(run=lambda context: torch.full((1, 10), torch.nan)), "too large", where="live"
    ),
    # What it offers about a drawing
    "an offer raises": Fault(
        lambda _: {"on_drawing": OnDrawing("faulty", raises(BROKEN))}, LOG.format("offer"), where="below the panels"
    ),
    # Home
    "live raises": Fault(lambda _: {"live": raises(BROKEN)}, LOG.format("live picture"), LIVE, "home"),
    "live ends Python": Fault(lambda _: {"live": raises(SystemExit())}, LOG.format("live picture"), LIVE, "home"),
    "home without its picture": Fault(
        lambda folder: {"home": HomePicture(folder / "none.png", "nothing", {})}, LOG.format("link"), where="home"
    ),
    "home leads to a number": Fault(
        lambda _: {"home": replace(MECHANISMS[ROW].home, view=3)}, LOG.format("link"), where="home"
    ),
    # Pages
    "no file of its page": Fault(
        lambda folder: {"page": str(folder / "none.py")}, LOG.format("page"), where="its page"
    ),
    "page is no Python": Fault(lambda folder: page(folder, "this is no Python"), where="its page"),
    "page raises": Fault(lambda folder: page(folder, "1 / 0"), where="its page"),
    "page at another's URL": Fault(lambda _: {"url": "draw"}),
    "page at no URL": Fault(lambda _: {"url": "a/b"}),
    "a further page at another's URL": Fault(
        lambda _: {"further": (FurtherPage("Paper", "15_paper.py", "results"),)}
    ),
    # What is imported and preloaded
    "imports what is not there": Fault(lambda _: {"imports": ("no_such_module",)}),
    "imports what raises": Fault(lambda folder: {"imports": (module(folder, "1 / 0"),)}),
    "imports what ends Python": Fault(lambda folder: {"imports": (module(folder, "raise SystemExit"),)}),
    "CSS imports what is not there": Fault(lambda folder: component(folder, css='@import "../none.css";')),
    "CSS imports itself": Fault(lambda folder: component(folder, css='@import "faulty.css";')),
    "CSS is not text": Fault(lambda folder: component(folder, css=b"\xff\xfe")),
    "JavaScript is not there": Fault(lambda folder: component(folder, js=None)),
    "JavaScript imports what is not there": Fault(lambda folder: component(folder, js='import x from "./none.js";')),
    "JavaScript imports itself": Fault(lambda folder: component(folder, js='import x from "./faulty.js";')),
    "no folder of components": Fault(lambda folder: {**component(folder), "frontend": folder / "none"}),
    # Of what it shows
    "is_control raises": Fault(lambda _: {"is_control": raises(BROKEN)}),
    "is_control returns words": Fault(lambda _: {"is_control": lambda config: ""}),
    "models that are not there": Fault(lambda _: {"models": ("none",), "controls": ("none",), "panels": ("none",)}),
    "papers that are not there": Fault(lambda _: {"papers": ("none",)}),
}  # fmt: skip

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
