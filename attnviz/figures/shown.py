"""The content of a figure: views of attention layers, and the choice of what to show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from attnviz.errors import BadInput, closest
from attnviz.figures.maps import Choice
from attnviz.views.attention import LayerView


@dataclass(frozen=True, eq=False)
class Shown:
    """Views of attention layers of one picture, and the choice of what to show.

    Args:
        views: name of a layer -> its view.
        choice: what to show of each view.
        theme: theme of pictures: light, dark or print.
        width: width of pictures, in inches.
        origin: origin of the views, included in every file.
        steps: what the names of `views` count: layer, or step of a training.
    """

    views: Mapping[str, LayerView]
    choice: Choice = field(default_factory=Choice)
    theme: str = "light"
    width: float = 3.25
    origin: Mapping[str, str | int | float] = field(default_factory=dict)
    steps: str = "layer"


def chosen(paths: Sequence[str], layers: Sequence[int | str] | None) -> list[str]:
    """Return the paths of layers given by indices in the order of the pass, from 0 or backwards from -1, or by paths;
    None returns all.
    """
    if layers is None:
        return [*paths]
    if isinstance(layers, int | str):
        layers = [layers]
    found = []
    for one in layers:
        if isinstance(one, str):
            if one not in paths:
                raise BadInput(f"There is no layer {one!r}. {closest(one, paths)}")
            found.append(one)
        elif -len(paths) <= one < len(paths):
            found.append(paths[one])
        else:
            raise BadInput(f"There is no layer {one}: there are {len(paths)}, counted from 0.")
    if not found:
        raise BadInput("layers: expected at least one layer, got none.")
    return [*dict.fromkeys(found)]
