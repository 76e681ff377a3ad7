"""Which layers are meant."""

from collections.abc import Sequence

from attnviz.errors import BadInput, closest


def chosen(paths: Sequence[str], layers: Sequence[int | str] | None) -> list[str]:
    """Return the paths of layers that are chosen by numbers in the order of the pass, from 0 or backwards from -1, or
    by paths; None is all.
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
