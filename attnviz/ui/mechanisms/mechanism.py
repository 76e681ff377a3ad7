"""The description of a mechanism for the app. Importing this loads neither torch nor streamlit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attnviz.errors import BadInput
from attnviz.ui.components.component import FRONTEND
from attnviz.ui.components.drawn import Seen

if TYPE_CHECKING:
    from attnviz.subjects import Net
    from attnviz.ui.components.panel import Panel
    from attnviz.ui.live.derived import Derived, View


def never(config: Mapping[str, Any]) -> bool:
    """Return False, for a mechanism whose own models are never controls."""
    return False


def no_derived() -> tuple[Derived[Any] | View[Any], ...]:
    """Return the derived values of a mechanism that has none of its own."""
    return ()


def later(module: str, name: str) -> Callable[..., Any]:
    """Return a function whose module is imported only when it is first called, so that importing a row is cheap."""

    def call(*given: Any) -> Any:
        return getattr(import_module(module), name)(*given)

    return call


def gathered(package: str, *names: str) -> Callable[[], tuple[Any, ...]]:
    """Return a function that returns values of a package's modules, or tuples of values, such as "view.GATES_VIEW"; the
    modules are imported when it is first called.
    """

    def call() -> tuple[Any, ...]:
        places = [name.rpartition(".") for name in names]
        found = [getattr(import_module(f"{package}.{module}"), name) for module, _, name in places]
        return tuple(one for value in found for one in (value if isinstance(value, tuple) else (value,)))

    return call


@dataclass(frozen=True)
class HomePicture:
    """A mechanism's picture on the home page: made in advance, and a link to a view of its page.

    Args:
        file: A PNG, twice as wide as high, made by `attnviz.ui.shared.home_picture`.
        words: The alternative text, for those who cannot see the picture.
        view: The fields of the URL to which it links.
        tiles: A function that draws its two halves for `python -m attnviz.ui.home_pictures`, from the net, the
            picture, the picture as the net's input, and `view`. None if the picture is made elsewhere.
    """

    file: Path
    words: str
    view: Mapping[str, Any]
    tiles: Callable[..., Any] | None = None


@dataclass(frozen=True)
class OnDrawing:
    """A mechanism's part of the draw page, below the panels, about the current drawing.

    Args:
        word: The URL field that is set while it is open.
        show: A function that draws it, from the keys of the nets that have panels and the last drawing that they
            received, or None before the pad reports one.
    """

    word: str
    show: Callable[[list[str], Seen | None], None]


@dataclass(frozen=True)
class Height:
    """The height reserved for a component until its module has loaded, so that nothing below it moves.

    Args:
        wide: The height in pixels at the ordinary font size; it grows with the font.
        phone: The height in pixels if the window is at most 700 pixels wide, or None for the same height.
    """

    wide: int
    phone: int | None = None


@dataclass(frozen=True)
class FurtherPage:
    """A further page of a mechanism, which the navigation lists after all mechanisms.

    Args:
        page: Its file in pages/, or the full path of a file elsewhere.
    """

    title: str
    page: str
    url: str


@dataclass(frozen=True)
class Mechanism:
    """One mechanism: a row of `MECHANISMS`. The functions import what they need when they are called.

    Args:
        name: The name of the mechanism and of its folder.
        title: Its title in the navigation.
        question: The question that its page answers, in one sentence.
        page: Its file in pages/, or the full path of a file elsewhere.
        url: The last part of the page's URL.
        models: Names in `attnviz.models.MODELS` of the models whose checkpoints it shows.
        panel: A function that returns the panel on the draw page for one of its nets or controls.
        controls: Names in MODELS of models without the mechanism, for the same data.
        is_control: Whether a checkpoint of its own models is a control, from the model's config: the same network with
            its attention switched off, or with locations that are not learnt.
        panels: Checkpoints that have a panel from the start besides the best one, if the number of panels allows.
        papers: Names in `attnviz.recipes.PAPERS` of the papers whose tables the results of its models include.
        home: Its picture on the home page, or None for words alone.
        on_drawing: Its part of the draw page below the panels, or None.
        live: A function that draws the live picture at the top of the home page, which uses the first one it finds.
        derived: A function that returns its derived values and views for the live channel.
        section: The section of the navigation.
        further: Its other pages.
        moved: Experiment that its page no longer has -> the URL of its new page, and its name there, to which old
            links are redirected.
        components: The components that only its pages draw, as in our pyproject.toml. Those of another package are
            PACKAGE.NAME, where PACKAGE is the import name; they need no other declaration.
        preload: The components, its own and shared ones, whose modules the browser fetches together with the page.
        frontend: The folder of their modules.
        heights: Key of a component on its pages -> the height reserved for it.
        training: Trainings to try, as label -> the URL fields of the page on which models are trained.
        captured: Whether its page can also show the visitor's own model, so that the explorer links to it.
        imports: Python modules that its page needs before torch, imported before the first visit.

    Raises:
        BadInput: If a field has the wrong type.
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
    """Raise BadInput for a field of the wrong type, so that a faulty row is left out before any page reads it."""
    if not isinstance(value, kind):
        wanted = " or ".join(one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,)))
        raise BadInput(f"A mechanism's `{name}` is {wanted}, not {type(value).__name__}: {value!r:.100}.")
