"""Writes the types of all views for JavaScript: `python -m attnviz.views`."""

from pathlib import Path

from attnviz.views.attention import LayerView
from attnviz.views.declared import Payload, typescript

FILE = Path(__file__).parents[1] / "ui" / "frontend" / "views.d.ts"
VIEWS: tuple[type[Payload], ...] = (LayerView,)


def declarations() -> str:
    """Return the content of the file."""
    first = (
        "// The types of views, for `npm run types`: written by `python -m attnviz.views`. No browser reads this file."
    )
    return "\n\n".join([first, *map(typescript, VIEWS)]) + "\n"


if __name__ == "__main__":
    FILE.write_text(declarations(), encoding="utf-8")
