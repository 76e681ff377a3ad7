"""Who may import whom inside `attnviz/ui/`, in Python and in JavaScript, where nothing imports itself in a circle."""

import ast
import re
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from posixpath import dirname, join, normpath

import pytest

ROOT = Path(__file__).parents[1]
UI = "attnviz.ui."
FRONTEND = ROOT / "attnviz" / "ui" / "frontend"

IMPORTS = re.compile(
    r"""^(?:import|export)\b[^;"']*\bfrom\s*["']([^"']+)|^import\s*["']([^"']+)|\bimport\(\s*["']([^"']+)["']\s*\)""",
    re.MULTILINE,
)

Graph = Mapping[str, Set[str]]

# From the bottom up: a layer imports those that it names. The table of mechanisms is the rows alone, not what is in the
# folders: everything else learns from it what mechanisms there are.
LAYERS: dict[str, set[str]] = {
    "components": set(),
    "table": {"components"},
    "shared": {"components", "table"},
    "live": {"components", "table", "shared"},
    "dot_product": {"components", "table", "shared", "live"},
    "mechanisms": {"components", "table", "shared", "live", "dot_product"},
    "draw": {"components", "table", "shared", "live"},
    "explorer": {"components", "table", "shared", "live"},
    "heads": {"components", "table", "shared", "live"},
    "training": {"components", "table", "shared", "live"},
    "search": {"components", "table", "shared", "live", "training"},  # who may train is asked alike
    "lessons": {"components", "table", "shared", "live"},
    "derived_values": {
        "components",
        "table",
        "shared",
        "live",
        "dot_product",
        "explorer",
    },  # which app.py hands down to the live channel
    "home_pictures": {"table", "shared"},
    "checks": {"components", "table", "shared", "live", "derived_values"},  # of attnviz.testing
    "server": {"components", "table", "shared", "live"},  # which only app.py and the pages import
}
SHARED = {"core", "hands", "live", "terms", "maps", "export"}
FOLDERS: dict[str, set[str]] = {  # of the front end; the others import `SHARED` alone
    "core": {"live"},  # loaded by a part once there is a slider of epochs
    "arrive": {*SHARED, "lessons"},
    "hands": {"core"},
    "live": {"core"},
    "terms": {"core"},
    "maps": {"core", "hands", "terms"},
    "export": {"core"},
    "glimpse_player": {*SHARED, "panels"},
    "head_switch": {*SHARED, "map_grid"},
    "layer_board": {*SHARED, "pixel_viewer"},
    "captured_board": {*SHARED, "layer_board", "pixel_viewer"},
    "moving_maps": {*SHARED, "map_grid"},
    "pixel_viewer": {*SHARED, "map_grid"},
    "sampling_grid": {*SHARED, "panels"},
    "stage_maps": {*SHARED, "map_grid"},
    "figure": {*SHARED, "glimpse_player", "map_grid", "panels", "pixel_viewer", "value_bars"},
    "draw": {*SHARED, "panels"},
    "drawing_pad": {*SHARED, "draw"},
}


def modules(folder: Path) -> dict[str, Path]:
    """Return the modules of a package by their full names."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def python(known: Mapping[str, Path], text: str) -> set[str]:
    """Return which of some modules a module's text imports, but not for its types alone."""
    tree = ast.parse(text)
    for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and node not in for_types:
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node not in for_types:
            for name in node.names:
                full = f"{node.module}.{name.name}"
                found.add(full if full in known else str(node.module))
    return found & set(known)


def javascript(name: str, text: str) -> set[str]:
    """Return which modules of the front end a module's text imports, also later than at its start."""
    code = re.sub(r"/\*.*?\*/|^\s*//[^\n]*", "", text, flags=re.DOTALL | re.MULTILINE)
    return {normpath(join(dirname(name), one)) for ones in IMPORTS.findall(code) for one in ones if one}


def circle(graph: Graph) -> list[str] | None:
    """Return a circle of a graph, its beginning also at its end; None where there is none."""
    done: set[str] = set()

    def follow(node: str, way: list[str]) -> list[str] | None:
        if node in way:
            return [*way[way.index(node) :], node]
        if node in done:
            return None
        for other in sorted(graph.get(node, ())):
            if found := follow(other, [*way, node]):
                return found
        done.add(node)
        return None

    return next((found for node in sorted(graph) if (found := follow(node, []))), None)


def layer(module: str) -> str | None:
    """Return the layer of a module of `attnviz.ui`; None for what is no part of it, or the package itself."""
    package, _, rest = module.removeprefix(UI).partition(".")
    if not module.startswith(UI):
        return None
    in_table = package == "mechanisms" and (rest == "mechanism" or "." not in rest)
    return "table" if in_table else package


def wrong(graph: Graph) -> list[str]:
    """Return the imports inside `attnviz.ui` that the layers do not allow."""
    found = []
    for module, others in graph.items():
        here = layer(module)
        for other in others:
            there = layer(other)
            foreign = here == there == "mechanisms" and module.split(".")[3] != other.split(".")[3]
            own = here == "table" and other.startswith(
                f"{module}."
            )  # a row names, in a function, what is in its folder
            above = here and there and there != here and there not in LAYERS[here] and not own
            if foreign or above:
                found.append(f"{module} -> {other}")
    return sorted(found)


def wrong_folders(graph: Graph) -> list[str]:
    """Return the imports of the front end that its folders do not allow."""
    found = []
    for module, others in graph.items():
        here = module.partition("/")[0]
        for other in others:
            there = other.partition("/")[0]
            if there != here and there not in FOLDERS.get(here, SHARED):
                found.append(f"{module} -> {other}")
    return sorted(found)


@pytest.fixture(scope="module")
def ui() -> Graph:
    known = modules(ROOT / "attnviz")
    return {name: python(known, path.read_text()) for name, path in known.items() if name.startswith(UI)}


@pytest.fixture(scope="module")
def front() -> Graph:
    paths = {path.relative_to(FRONTEND).as_posix(): path for path in sorted(FRONTEND.rglob("*.js"))}
    return {name: javascript(name, path.read_text()) for name, path in paths.items()}


def test_every_package_of_the_app_has_its_layer(ui: Graph) -> None:
    assert {layer(name) for name in ui} <= set(LAYERS)


def test_a_layer_imports_only_those_below(ui: Graph) -> None:
    assert wrong(ui) == []


def test_only_the_pages_and_the_app_import_what_the_server_needs(ui: Graph) -> None:
    assert [name for name, others in ui.items() for other in others if layer(other) == "server" != layer(name)] == []


def test_a_folder_of_the_front_end_imports_only_those_below(front: Graph) -> None:
    assert wrong_folders(front) == []


def test_no_module_of_the_front_end_imports_itself_in_a_circle(front: Graph) -> None:
    assert circle(front) is None


def test_what_a_module_of_the_front_end_imports_is_there(front: Graph) -> None:
    assert {other for others in front.values() for other in others} <= set(front)
    assert sum(map(len, front.values())) > 100


@pytest.mark.parametrize(
    ("module", "text", "found"),
    [
        ("shared.page", "from attnviz.ui.live import budget", True),
        ("components.payload", "def f():\n    from attnviz.ui.shared import url_state", True),
        ("live.budget", "from attnviz.ui.mechanisms.pixel_attention.panels import panel_of", True),
        ("live.budget", "from attnviz.ui.mechanisms import MECHANISMS", False),
        ("draw.panels", "from attnviz.ui.server import preload", True),
        ("mechanisms.element_wise.stages", "from attnviz.ui.mechanisms.pixel_attention import panels", True),
        ("mechanisms.element_wise.stages", "from attnviz.ui.mechanisms.element_wise import words", False),
        ("shared.page", "if TYPE_CHECKING:\n    from attnviz.ui.live import budget", False),
    ],
)
def test_an_import_that_is_not_allowed_is_found(module: str, text: str, found: bool) -> None:
    known = modules(ROOT / "attnviz")
    assert bool(wrong({UI + module: python(known, text)})) == found


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ('import { a } from "./other.js";', {"draw/other.js"}),
        ('import {\n  a,\n  b,\n} from "../core/dom.js";', {"core/dom.js"}),
        ('export { a } from "../panels/face.js";', {"panels/face.js"}),
        ('  const { a } = await import("../map_grid/map_grid.js");', {"map_grid/map_grid.js"}),
        ('/** @param {import("../pixel_viewer/view.js").View} view */\n// import "./a.js"', set()),
    ],
)
def test_imports_of_javascript_are_found(text: str, there: set[str]) -> None:
    assert javascript("draw/cards.js", text) == there


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert circle({"a": {"a"}}) == ["a", "a"]
    assert wrong_folders({"core/dom.js": {"draw/card.js"}, "map_grid/a.js": {"core/b.js"}}) == [
        "core/dom.js -> draw/card.js"
    ]


def _lines() -> Iterator[str]:
    for path in sorted((ROOT / "attnviz").rglob("__init__.py")):
        first = path.read_text().partition("\n")[0]
        yield f"{path.relative_to(ROOT)}: {first}"


def test_every_package_says_in_a_sentence_what_it_is_for() -> None:
    silent = [line for line in _lines() if not re.search(r': """[A-Z].*', line)]
    assert silent == []
