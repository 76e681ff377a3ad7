"""Who may import whom inside attnviz/ui, and that neither Python's modules nor JavaScript's go round in a circle.

Mechanisms and the pages about none of them stand on the live channel, and that on components and on what pages share.
The tables of mechanisms and of derived values stand above all of them and are handed down; what the server needs stands
apart. An import counts wherever it stands in a file, unless only a type checker reads it.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
UI = ROOT / "attnviz" / "ui"
FRONTEND = UI / "frontend"

TABLES = {"mechanisms/__init__", "derived_values"}
ROW = "mechanisms/mechanism"  # the type of a row, which is handed down with it
RANKS = {"components": 0, "shared": 0, "live": 1, "draw": 2, "training": 2, "search": 2, "lessons": 2, "mechanisms": 2}
TABLE = 3

# Importing module -> what it should not import. Take out what is mended; nothing may be added.
PRESENT: dict[str, set[str]] = {
    "draw/panels": {"mechanisms/__init__"},
    "server/head": {"components/component", "mechanisms/__init__", "shared/glossary", "shared/room"},
    "server/moved": {"mechanisms/__init__"},
    "server/preload": {"mechanisms/__init__", "shared/threads"},
    "server/security": {"shared/wording"},
    "server/sockets": {"live/channel"},
    "shared/accuracy": {"mechanisms/__init__"},
    "shared/mechanism_page": {"mechanisms/__init__"},
    "shared/result_dots": {"mechanisms/__init__"},
}
PRESENT_CIRCLES = [{"shared/cache", "shared/inference"}]


def modules() -> dict[str, Path]:
    """Return the modules of ui by name, such as "live/answer"; a package is NAME/__init__."""
    return {path.relative_to(UI).with_suffix("").as_posix(): path for path in sorted(UI.rglob("*.py"))}


def imported(name: str, code: str, known: Iterable[str]) -> set[str]:
    """Return the modules of ui that the code of one of them imports, except for types alone."""
    found = set()
    for full in _names(ast.parse(code)):
        if not full.startswith("attnviz.ui."):
            continue
        path = full.removeprefix("attnviz.ui.").replace(".", "/")
        parent = path.rpartition("/")[0]
        # A name may be a module, a package, or a thing in either.
        each = (path, f"{path}/__init__", parent, f"{parent}/__init__")
        found |= {next((one for one in each if one in known), name)}
    return found - {name}


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{one.name}" for one in node.names)
    children = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        children = iter(node.orelse)
    for child in children:
        yield from _names(child)


def may(importer: str, other: str) -> bool:
    """Return whether one module of ui may import another."""
    mine, theirs = importer.split("/"), other.split("/")
    if "server" in (mine[0], theirs[0]):
        return mine[0] == theirs[0]
    if other == ROW or importer in TABLES:
        return True
    if importer == ROW:
        return rank(other) == 0
    if mine[0] == theirs[0] == "mechanisms" and other not in TABLES:
        return mine[1] == theirs[1]
    return rank(other) < rank(importer) or (
        rank(other) == rank(importer) and (rank(other) == 0 or mine[0] == theirs[0])
    )


def rank(name: str) -> int:
    """Return how high a module stands."""
    return TABLE if name in TABLES else RANKS[name.partition("/")[0]]


def graph() -> dict[str, set[str]]:
    """Return what each module of ui imports."""
    known = modules()
    return {name: imported(name, path.read_text("utf-8"), known) for name, path in known.items()}


def graph_of_the_frontend() -> dict[str, set[str]]:
    """Return what each JavaScript module imports, by its path in the folder of the front end."""
    found: dict[str, set[str]] = {}
    for path in sorted(FRONTEND.rglob("*.js")):
        named = javascript_imports(path.read_text("utf-8"))
        there = [(path.parent / one).resolve() for one in named if one.startswith(".")]
        found[path.relative_to(FRONTEND).as_posix()] = {one.relative_to(FRONTEND).as_posix() for one in there}
    return found


def javascript_imports(code: str) -> list[str]:
    """Return what a JavaScript module imports or hands on, as it is written there."""
    code = re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", code, flags=re.DOTALL)
    return re.findall(r"""(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']""", code)


def circles(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the groups of modules of which each imports, over others, every other one."""
    reached = {name: _reached(graph, name) for name in graph}
    found: list[set[str]] = []
    for name in graph:
        group = {other for other in reached[name] if name in reached.get(other, ())}
        if group and group not in found:
            found.append(group)
    return found


def _reached(graph: Mapping[str, set[str]], name: str) -> set[str]:
    seen: set[str] = set()
    waiting = list(graph[name])
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            waiting += graph.get(one, ())
    return seen


def test_every_module_imports_only_what_stands_below_it() -> None:
    found = {name: {other for other in others if not may(name, other)} for name, others in graph().items()}
    assert {name: others for name, others in found.items() if others} == PRESENT


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles(graph()) == PRESENT_CIRCLES


def test_no_modules_of_the_frontend_import_each_other_in_a_circle() -> None:
    found = graph_of_the_frontend()
    assert {other for others in found.values() for other in others} <= set(found)
    assert circles(found) == []


def test_every_folder_has_its_rank_and_the_tables_are_there() -> None:
    assert {path.name for path in UI.iterdir() if (path / "__init__.py").exists()} <= {*RANKS, "server"}
    assert TABLES | {ROW} <= set(modules())


@pytest.mark.parametrize(
    ("importer", "other", "allowed"),
    [
        ("mechanisms/one/panels", "live/derived", True),
        ("mechanisms/one/panels", "shared/page/words", True),
        ("mechanisms/one/panels", "mechanisms/one/stages", True),
        ("mechanisms/one/panels", "mechanisms/other/stages", False),
        ("mechanisms/one/panels", "mechanisms/__init__", False),
        ("mechanisms/one/__init__", "mechanisms/mechanism", True),
        ("mechanisms/__init__", "mechanisms/one/__init__", True),
        ("draw/panels", "mechanisms/one/panels", False),
        ("draw/panels", "derived_values", False),
        ("draw/panels", "live/jacobian", True),
        ("live/answer", "draw/panels", False),
        ("live/answer", "components/payload", True),
        ("derived_values", "mechanisms/__init__", True),
        ("components/panel", "shared/cache", True),
        ("components/panel", "live/derived", False),
        ("shared/cache", "server/preload", False),
        ("server/preload", "server/hosts", True),
        ("server/preload", "shared/cache", False),
        ("mechanisms/mechanism", "components/component", True),
        ("mechanisms/mechanism", "live/derived", False),
    ],
)
def test_the_rules_are_what_they_should_be(importer: str, other: str, allowed: bool) -> None:
    assert may(importer, other) is allowed


def test_imports_are_found_wherever_they_stand_but_not_those_for_types() -> None:
    code = """
import attnviz.ui.live.seats
from attnviz.ui import mechanisms
from attnviz.ui.live import answer, budget
from attnviz.ui.shared.cache import picture
from attnviz.data import strokes
if TYPE_CHECKING:
    from attnviz.ui.live import channel
else:
    from attnviz.ui.live import request
def later():
    with nothing:
        from attnviz.ui.mechanisms.one import derived
"""
    known = {f"live/{name}" for name in ("seats", "answer", "budget", "channel", "request")}
    known |= {"mechanisms/__init__", "mechanisms/one/__init__", "mechanisms/one/derived", "shared/cache"}
    left_out = {"live/channel", "mechanisms/one/__init__"}
    assert imported("draw/panels", code, known) == known - left_out


def test_imports_of_javascript_are_found() -> None:
    code = """
import { one } from "./one.js"; // from "./comment.js"
import * as two
  from '../two.js';
export { three } from "./three.js";
import "./four.js";
const five = await import("./five.js");
/** @param {import("./types.js").Type} six */
// import "./seven.js";
"""
    assert javascript_imports(code) == ["./one.js", "../two.js", "./three.js", "./four.js", "./five.js"]


def test_circles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"e", "elsewhere"}}
    assert circles(graph) == [{"b", "c"}, {"e"}]
