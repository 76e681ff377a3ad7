"""Writes the types of all payloads for JavaScript: `python -m attnviz.ui.components`."""

from attnviz.ui.components.alignment import AlignmentView, Curve, Text, Weights
from attnviz.ui.components.component import FRONTEND
from attnviz.ui.components.gates import GatesOfLayer, GatesView, GateTap
from attnviz.ui.components.sampling_grid import Angles, GridView
from attnviz.ui.components.stage_grid import Norm, Other, StageLayer, StageView
from attnviz.views.attention import LayerView
from attnviz.views.declared import Payload, typescript

FILE = FRONTEND / "views.d.ts"
VIEWS: tuple[type[Payload], ...] = (
    LayerView, AlignmentView, Text, Weights, Curve, GatesView, GatesOfLayer, GateTap, GridView, Angles, StageView,
    StageLayer, Norm, Other,
)  # fmt: skip


def declarations() -> str:
    """Return the content of the file."""
    first = "// The types of payloads, for `npm run types`. Written by `python -m attnviz.ui.components`"
    return "\n\n".join([first, *map(typescript, VIEWS)]) + "\n"


if __name__ == "__main__":
    FILE.write_text(declarations(), encoding="utf-8")
