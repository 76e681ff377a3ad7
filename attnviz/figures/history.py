"""The recording of a training as a file, which `record.save(...)` writes and `attnviz app --record` plays.

It is a zip with a payload (`attnviz/views/payload.py`) for each step and layer, STEP/NUMBER.bin, and index.json with
the steps and the paths of the layers. One view is read at a time. Importing this does not load torch.
"""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from attnviz import files
from attnviz.errors import BadInput
from attnviz.views.attention import LayerView

INDEX = "index.json"
LARGEST = 1 << 30  # maximum size of a view, in bytes
_LARGEST_INDEX = 1 << 24


def write(moments: Mapping[int, Mapping[str, LayerView]], path: Path) -> None:
    """Write views to a file: step -> layer path -> view, with the same layer paths at each step."""
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
    """The views of a file. BadInput if `write` did not write it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with files.opened(path) as opened, zipfile.ZipFile(opened) as file:
                if file.getinfo(INDEX).file_size > _LARGEST_INDEX:
                    raise self._no_history()
                index = files.from_json(file.read(INDEX))
            self.steps = [int(step) for step in index["steps"]]
            """Steps, ascending."""
            self.layers = [str(layer) for layer in index["layers"]]
            """Layer paths, in the order of the pass."""
        except Exception as error:  # whatever zipfile raises for a damaged file
            raise self._no_history() from error
        if not self.steps or not self.layers:
            raise self._no_history()

    def view(self, step: int, layer: str) -> LayerView:
        """Return a view, or raise BadInput if it is missing or damaged."""
        try:
            with files.opened(self.path) as opened, zipfile.ZipFile(opened) as file:
                member = file.getinfo(f"{step}/{self.layers.index(layer)}.bin")
                if member.file_size > LARGEST:
                    raise ValueError
                return LayerView.unpacked(file.read(member))
        except Exception as error:  # including zipfile's
            raise BadInput(f"{self.path.name}: the attention at step {step} cannot be read.") from error

    def _no_history(self) -> BadInput:
        return BadInput(f"{self.path.name} is not a recorded training: expected a file that record.save(...) wrote.")
