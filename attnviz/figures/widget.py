"""A viewer for notebooks that computes a layer when it is selected, and without the heads that are switched off.

    from attnviz.figures.widget import Viewer

    Viewer(model, batch, over=photo)

A figure (`attnviz.figure`) contains all its data and needs no kernel once it is made, while this viewer calls the
kernel. It needs the extra `notebook`.
"""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from attnviz.capture.watching import watch
from attnviz.edits import off
from attnviz.errors import AttnvizError, BadInput
from attnviz.figures.figure import Figure, figure
from attnviz.figures.modules import FRONTEND
from attnviz.figures.page import HEIGHT

try:
    import anywidget
    import traitlets
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        'The viewer with a kernel needs anywidget: pip install "attnviz[notebook]"', name=error.name
    ) from error


class Viewer(anywidget.AnyWidget):
    """The attention of any torch module to a picture, one layer at a time.

    The model runs once for each selected layer, and once for each change of its heads, so that no more than one layer
    is kept in memory.

    Args:
        model: the model, in evaluation mode.
        batch: the model's input.
        layer: index of the initial layer, in the order of the pass; -1 is the last.
        **shown: `over`, `query`, `classes`, `grid` and other arguments of `attnviz.figure`.

    Attributes:
        layers: the tap paths of the layers that can be shown.
        heads: number of heads of each layer.
        layer: index of the current layer. It can be set, as can `off`.
        off: pairs [layer, head] of the heads that are switched off, whose output is 0.
        said: why the layer cannot be shown; "" if it can.

    Raises:
        BadInput: the layer does not exist.
        TraceError: nothing was captured.
    """

    _esm = FRONTEND / "figure" / "widget.js"

    layers = traitlets.List(traitlets.Unicode()).tag(sync=True)
    heads = traitlets.List(traitlets.Int()).tag(sync=True)
    layer = traitlets.Int(0).tag(sync=True)
    off = traitlets.List(traitlets.List(traitlets.Int())).tag(sync=True)
    page = traitlets.Unicode().tag(sync=True)
    said = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(HEIGHT).tag(sync=True)

    def __init__(self, model: nn.Module, batch: Tensor, *, layer: int = -1, **shown: Any) -> None:
        captured = watch(model, keep=["*.mixed"])(batch).captured
        calls = {path: call for path, call in captured.calls.items() if not call.refused}
        if not -len(calls) <= layer < len(calls):
            raise BadInput(f"There are {len(calls)} layers, from 0, and no layer {layer}.")
        self._model, self._batch, self._shown = model, batch, shown
        heads = [call.layout.size("head") for call in calls.values()]
        super().__init__(layers=[*calls], heads=heads, layer=layer % len(calls))
        self._show()
        self.observe(lambda _: self._show(), names=["layer", "off"])

    def figure(self) -> Figure:
        """Return the current view as a figure that can be saved, or raise BadInput if the layer cannot be drawn."""
        paths: Sequence[str] = self.layers
        if not 0 <= self.layer < len(paths):
            raise BadInput(f"There are {len(paths)} layers, from 0, and no layer {self.layer}.")
        edits = []
        for one, head in self.off:
            if not (0 <= one < len(paths) and 0 <= head < self.heads[one]):
                raise BadInput(f"There is no head {head} in layer {one} to switch off.")
            edits.append(off(f"{paths[one]}.mixed", head=head))
        path = paths[self.layer]
        seen = watch(self._model, keep=[f"{path}.*"], edits=edits)(self._batch)
        return figure(seen, layers=[path], **self._shown)

    def _show(self) -> None:
        try:
            page, said = self.figure().html(), ""
        except AttnvizError as error:
            page, said = "", str(error)
        with self.hold_sync():
            self.page, self.said = page, said
