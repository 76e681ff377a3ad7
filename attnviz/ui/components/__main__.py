"""Writes the types of all payloads for JavaScript: `python -m attnviz.ui.components`."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from attnviz import views
from attnviz.ui.components.component import FRONTEND
from attnviz.views.declared import Payload, typescript

FILE = FRONTEND / "views.d.ts"


def payloads() -> Iterator[type[Payload]]:
    """Yield the payload classes in the modules of `attnviz/views/` and of this folder."""
    for package, folder in ((views.__name__, Path(views.__file__).parent), (__package__, Path(__file__).parent)):
        for path in sorted(folder.glob("[!_]*.py")):
            module = import_module(f"{package}.{path.stem}")
            for one in vars(module).values():
                if isinstance(one, type) and issubclass(one, Payload) and one.__module__ == module.__name__:
                    yield from () if one.__name__.startswith("_") or one is Payload else (one,)


def declarations() -> str:
    """Return the contents of the file."""
    first = "// The types of payloads, for `npm run types`. Written by `python -m attnviz.ui.components`."
    return "\n\n".join([first, *map(typescript, payloads())]) + "\n"


if __name__ == "__main__":
    FILE.write_text(declarations(), encoding="utf-8")
