"""Bundles the modules of `attnviz/ui/frontend/` into one script without Node, for a page that fetches nothing.

Each module becomes a function that is called when it is first needed. Only the syntax of our own modules is supported:
imports of names and of whole modules, exports of functions, classes and constants, and a default export.
"""

import re
from collections.abc import Collection
from pathlib import Path

from attnviz.errors import BadInput

FRONTEND = Path(__file__).parents[1] / "ui" / "frontend"

_COMMENT = re.compile(
    r"^[ \t]*/\*(?:(?!\*/).)*\*/[ \t]*\n|^[ \t]*//[^\n]*\n|/\*\* @(?:type|param)(?:(?!\*/).)*\*/ ?", re.M | re.S
)
_IMPORT = re.compile(
    r'^import (?:\{(?P<names>[^}]*)\}|\* as (?P<whole>\w+)|(?P<default>\w+)) from "(?P<path>[^"]+)";', re.M
)
_LATER = re.compile(r'\bimport\("(?P<path>[^"]+)"\)')
_EXPORT = re.compile(r"^export (?P<what>(?:async )?function\*?|class|const) (?P<name>\w+)", re.M)
_DEFAULT = re.compile(r"^export default (?P<what>[^;]+);", re.M)
_STYLE = re.compile(r'^@import "(?P<path>[^"]+)";\n?', re.M)


def together(entry: str, without: Collection[str] = ()) -> str:
    """Return one script that does the same as loading a module, given by its path in `frontend/`.

    It omits modules that would be fetched later and modules whose names are not used. BadInput: a module uses
    unsupported syntax.
    """
    found: dict[str, str] = {}
    _add(entry, found, without)
    modules = ",\n".join(f'"{path}": (exports, need) => {{\n{code}}}' for path, code in found.items())
    return (
        f'(() => {{\n"use strict";\nconst modules = {{\n{modules}\n}};\nconst loaded = {{}};\n'
        "const need = (path) => {\n"
        "  if (!loaded[path]) modules[path]((loaded[path] = {}), need);\n  return loaded[path];\n};\n"
        f'need("{entry}");\n}})();\n'
    )


def styles(entry: str) -> str:
    """Return a style sheet including its imports, each once."""
    done: set[str] = set()

    def read(path: str) -> str:
        if path in done:
            return ""
        done.add(path)
        return _STYLE.sub(lambda found: read(_beside(path, found["path"])), (FRONTEND / path).read_text("utf-8"))

    return read(entry)


def _add(path: str, found: dict[str, str], without: Collection[str]) -> None:
    if path in found:
        return
    found[path] = ""  # our modules have no circular imports, except of types, which are in comments
    code = _COMMENT.sub("", (FRONTEND / path).read_text("utf-8"))
    exported: list[str] = []

    def imported(match: re.Match[str]) -> str:
        other = _beside(path, match["path"])
        if other in without:
            return f"const {{{match['names']}}} = {{}};"
        _add(other, found, without)
        if match["whole"]:
            return f'const {match["whole"]} = need("{other}");'
        if match["default"]:
            return f'const {match["default"]} = need("{other}").default;'
        return f'const {{{match["names"].replace(" as ", ": ")}}} = need("{other}");'

    def later(match: re.Match[str]) -> str:
        other = _beside(path, match["path"])
        if other in without:
            return 'Promise.reject(new Error("not in this page"))'
        _add(other, found, without)
        return f'Promise.resolve().then(() => need("{other}"))'

    def export(match: re.Match[str]) -> str:
        exported.append(match["name"])
        return f"{match['what']} {match['name']}"

    code = _LATER.sub(later, _IMPORT.sub(imported, code))
    code = _DEFAULT.sub(lambda match: f"exports.default = {match['what']};", _EXPORT.sub(export, code))
    if left := re.search(r"^(import|export)\b.*$", code, re.M):
        raise BadInput(f"{path}: this is not understood: {left[0]}")
    # Functions and classes exist before the first line runs, as in a module; constants exist once their line has run.
    names = "".join(f"get {name}() {{ return {name}; }}, " for name in exported)
    del found[path]
    found[path] = f"Object.defineProperties(exports, Object.getOwnPropertyDescriptors({{ {names}}}));\n{code}"


def _beside(path: str, other: str) -> str:
    parts = path.split("/")[:-1]
    for part in other.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
