"""What was recorded of a training, as a file: `record.save(...)` writes it, and `attnviz app --record` plays it.

A zip with a payload (`attnviz/views/payload.py`) for each step and layer, STEP/NUMBER.bin, and index.json, which says
the steps and the paths of the layers. One view is read at a time. Loads no torch.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from attnviz import files
from attnviz.errors import BadInput
from attnviz.views.attention import LayerView

INDEX = "index.json"
LARGEST = 1 << 30  # bytes of a view
_LARGEST_INDEX = 1 << 24


def write(moments: Mapping[int, Mapping[str, LayerView]], path: Path) -> None:
    """Write views to a file: steps -> paths of layers, the same ones at each step -> views."""
    if not moments:
        raise BadInput("Nothing was recorded yet, so there is nothing to save.")
    layers = [*next(iter(moments.values()))]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(INDEX, json.dumps({"steps": sorted(moments), "layers": layers}))
        for step, views in moments.items():
            for number, layer in enumerate(layers):
                file.writestr(f"{step}/{number}.bin", views[layer].packed())
    files.write(path, made.getbuffer())


class History:
    """The views of a file; BadInput where it is none that `write` wrote."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with files.opened(path) as opened, zipfile.ZipFile(opened) as file:
                if file.getinfo(INDEX).file_size > _LARGEST_INDEX:
                    raise self._no_history()
                index = files.from_json(file.read(INDEX))
            self.steps = [int(step) for step in index["steps"]]
            """Ascending."""
            self.layers = [str(layer) for layer in index["layers"]]
            """Paths, in the order of the pass."""
        except Exception as error:  # whatever zipfile makes of a damaged file
            raise self._no_history() from error
        if not self.steps or not self.layers:
            raise self._no_history()

    def view(self, step: int, layer: str) -> LayerView:
        """Return a view; BadInput where it is not in the file, or damaged."""
        try:
            with files.opened(self.path) as opened, zipfile.ZipFile(opened) as file:
                member = file.getinfo(f"{step}/{self.layers.index(layer)}.bin")
                if member.file_size > LARGEST:
                    raise ValueError
                return LayerView.unpacked(file.read(member))
        except Exception as error:  # of zipfile, too
            raise BadInput(f"{self.path.name}: the attention at step {step} cannot be read.") from error

    def _no_history(self) -> BadInput:
        return BadInput(f"{self.path.name} is no recorded training: expected a file that record.save(...) wrote.")
