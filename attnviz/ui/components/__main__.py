"""Writes the types of all payloads for JavaScript: `python -m attnviz.ui.components`."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from attnviz.ui.components.component import FRONTEND
from attnviz.views.attention import LayerView
from attnviz.views.declared import Payload, typescript

FILE = FRONTEND / "views.d.ts"


def payloads() -> Iterator[type[Payload]]:
    """Yield the payload of figures, and those that the modules of this folder declare."""
    yield LayerView
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        module = import_module(f"{__package__}.{path.stem}")
        for one in vars(module).values():
            if isinstance(one, type) and issubclass(one, Payload) and one.__module__ == module.__name__:
                yield from () if one.__name__.startswith("_") else (one,)


def declarations() -> str:
    """Return the content of the file."""
    first = "// The types of payloads, for `npm run types`. Written by `python -m attnviz.ui.components`."
    return "\n\n".join([first, *map(typescript, payloads())]) + "\n"


if __name__ == "__main__":
    FILE.write_text(declarations(), encoding="utf-8")
