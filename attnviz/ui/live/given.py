"""Converts a request's pictures and edits for a model. Loads torch."""

import numpy as np
import torch

from attnviz import edits, subjects
from attnviz.listening import Edits
from attnviz.subjects import Net, Picture
from attnviz.ui.live.request import Edit, Off, Put, Request, Scale


def changes(wanted: list[Edit], arrays: dict[str, np.ndarray]) -> Edits:
    """Convert the edits of a request to those of a trace."""
    made: list[Edits] = []
    for edit in wanted:
        if isinstance(edit, Scale):
            made.append({edit.address: edits.scale(edit.factor, **edit.index)})
        elif isinstance(edit, Off):
            made.append({edit.address: edits.off(**edit.index)})
        elif isinstance(edit, Put):
            value = edit.value if edit.array is None else torch.from_numpy(arrays[edit.array].copy())
            made.append({edit.address: edits.set_value(value, **edit.index)})
        else:
            made.append(edits.uniform(edit.address, **edit.index))
    return edits.together(*made)


def pictures(request: Request, net: Net) -> np.ndarray:
    """Return the pictures that a request holds or names, fitted to the net: uint8 (picture, row, column, channel)."""
    if request.pictures is not None:
        return request.pictures
    found = []
    for named in request.head.pictures or ():
        example = subjects.example(named.data, named.number)
        found.append((example.checked() if isinstance(example, Picture) else example).taken_by(net))
    return np.stack(found)
