"""What the app needs to know of a mechanism. Importing this costs neither torch nor streamlit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attnviz.errors import BadInput
from attnviz.ui.components.component import FRONTEND

if TYPE_CHECKING:
    from attnviz.subjects import Net
    from attnviz.ui.components.panel import Panel
    from attnviz.ui.live.derived import Derived, View


def never(config: Mapping[str, Any]) -> bool:
    """Return False: no checkpoint of the mechanism's own models is a control."""
    return False


def no_derived() -> tuple[Derived[Any] | View[Any], ...]:
    """Return the derived values of a mechanism that has none of its own."""
    return ()


def later(module: str, name: str) -> Callable[..., Any]:
    """Return a function whose module is imported when it is first called, so that a row costs nothing but itself."""

    def call(*given: Any) -> Any:
        return getattr(import_module(module), name)(*given)

    return call


@dataclass(frozen=True)
class HomePicture:
    """What the home page shows of a mechanism: a picture made in advance, as a link to a view of its page.

    Args:
        file: a PNG, twice as wide as high, made by `attnviz.ui.shared.home_picture`.
        words: what it shows, for those who cannot see it.
        view: the words of the URL it leads to.
        tiles: draws its two halves for `python -m attnviz.ui.home_pictures`, from the net, the picture, the picture as
            the net takes it, and `view`; None for a picture that is made elsewhere.
    """

    file: Path
    words: str
    view: Mapping[str, Any]
    tiles: Callable[..., Any] | None = None


@dataclass(frozen=True)
class OnDrawing:
    """What a mechanism offers below the panels of the draw page, about what is drawn there.

    Args:
        word: the field of the URL that is set while it is open.
        show: draws it, from the keys of the nets that have panels and from what these saw last, as the word of a
            drawing; None while nothing is drawn or known, "" where nothing is left of a drawing that goes on.
    """

    word: str
    show: Callable[[list[str], str | None], None]


@dataclass(frozen=True)
class Height:
    """How high a component is before its module is there, so that nothing below it moves.

    Args:
        wide: in pixels of a page of ordinary font size; it grows with the font.
        phone: in pixels, where the window is at most 700 wide; None for the same as elsewhere.
    """

    wide: int
    phone: int | None = None


@dataclass(frozen=True)
class FurtherPage:
    """Another page of a mechanism, which the navigation lists after all mechanisms.

    Args:
        page: its file in pages/, or the whole path of a file elsewhere.
    """

    title: str
    page: str
    url: str


@dataclass(frozen=True)
class Mechanism:
    """One mechanism: a row of `MECHANISMS`. The functions import what they need when they are called.

    Args:
        name: of the mechanism, as its folder is called.
        title: in the navigation.
        question: what its page answers, in one sentence.
        page: its file in pages/, or the whole path of a file elsewhere.
        url: the last part of the page's URL.
        models: names in `attnviz.models.MODELS`, whose checkpoints it shows.
        panel: from one of its nets or controls to what its panel on the draw page shows.
        controls: names in MODELS, of what the same data give without the mechanism.
        is_control: whether a checkpoint of its own models is a control too, from the model's config: the same network
            with its attention switched off, or one that does not choose where it looks.
        panels: checkpoints that have a panel from the start beside the best one, as far as the number of panels allows.
        papers: names in `attnviz.recipes.PAPERS`, whose tables stand among the results of its models.
        home: the picture that the home page shows of it; None for words alone.
        on_drawing: what it offers below the panels of the draw page; None for nothing.
        live: draws what the home page begins with, something that answers at once; the first mechanism with one does.
        derived: returns its derived values and its views, for the live channel.
        section: of the navigation.
        further: its other pages.
        moved: experiment of its page that is elsewhere now -> the URL of the page where it is, and its name there;
            old links are redirected.
        components: those that only its pages draw, as our pyproject.toml declares them; of another package
            PACKAGE.NAME, where PACKAGE is its import name; nothing else declares them.
        preload: of these and of those that several share, the ones whose modules the browser fetches together with the
            page.
        frontend: where their modules lie.
        heights: key of a component in its pages -> the height that is reserved for it.
        training: trainings to try: a label -> the fields of the URL of the page on which models are trained.
        captured: whether its page shows a model of the visitor's own, too, so that the explorer leads there.
        imports: Python modules that its page needs before torch: imported before the first visitor asks.

    Raises:
        BadInput: a field has another type.
    """

    name: str
    title: str
    question: str
    page: str
    url: str
    models: tuple[str, ...]
    panel: Callable[[Net], Panel]
    controls: tuple[str, ...] = ()
    is_control: Callable[[Mapping[str, Any]], bool] = never
    panels: tuple[str, ...] = ()
    papers: tuple[str, ...] = ()
    home: HomePicture | None = None
    on_drawing: OnDrawing | None = None
    live: Callable[[], None] | None = None
    derived: Callable[[], tuple[Derived[Any] | View[Any], ...]] = no_derived
    section: str = "Look inside"
    further: tuple[FurtherPage, ...] = ()
    moved: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    components: tuple[str, ...] = ()
    preload: tuple[str, ...] = ()
    frontend: Path = FRONTEND
    heights: Mapping[str, Height] = field(default_factory=dict)
    training: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    captured: bool = False
    imports: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, kind in _KINDS.items():
            _check(name, getattr(self, name), kind)
        for name in _LISTS:
            for one in getattr(self, name):
                _check(name, one, FurtherPage if name == "further" else str)
        for new in self.moved.values():
            if not (isinstance(new, tuple) and len(new) == 2 and all(isinstance(part, str) for part in new)):
                raise BadInput(f"A mechanism's `moved` leads to pairs (URL, name), not to {new!r}.")
        for height in self.heights.values():
            _check("heights", height, Height)


_LISTS = ("models", "controls", "panels", "papers", "further", "components", "preload", "imports")
_KINDS: dict[str, Any] = {
    **dict.fromkeys(("name", "title", "question", "page", "url", "section"), str),
    **dict.fromkeys(_LISTS, tuple),
    **dict.fromkeys(("panel", "is_control", "derived"), Callable),
    "home": (HomePicture, type(None)),
    "live": (Callable, type(None)),
    "on_drawing": (OnDrawing, type(None)),
    "moved": Mapping,
    "training": Mapping,
    "heights": Mapping,
    "frontend": Path,
    "captured": bool,
}


def _check(name: str, value: object, kind: Any) -> None:
    """Refuse a field of another type: a row that is wrong is then left out of the table, before any page reads it."""
    if not isinstance(value, kind):
        wanted = " or ".join(one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,)))
        raise BadInput(f"A mechanism's `{name}` is {wanted}, not {type(value).__name__}: {value!r:.100}.")
