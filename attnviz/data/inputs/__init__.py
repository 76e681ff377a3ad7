"""Preparing inputs from outside, such as a drawing or a picture of another shape, for a model.

    seen = PREPARATIONS["mnist_style"](canvas, rows=28, columns=28, channels=1, centred=True)
    seen.picture, seen.words              # uint8 (28, 28, 1); "Cut out 93 × 140 pixels, ..."

Another package adds a row to `PREPARATIONS` (attnviz/extensions.py) and names it in the `Input` of its models.
"""

from attnviz.arrays import Bytes
from attnviz.data.inputs.prepared import Preparation, Prepared, in_channels, mnist_style, resized
from attnviz.data.inputs.strip import strip
from attnviz.errors import UnknownName
from attnviz.extensions import Table

__all__ = ["PREPARATIONS", "Prepared", "Preparation", "fitted", "named"]

PREPARATIONS: Table[Preparation] = Table(
    "preparations", {"mnist_style": mnist_style, "resized": resized, "strip": strip}
)


def named(name: str) -> Preparation:
    """Return the preparation with the given name."""
    if name not in PREPARATIONS:
        raise UnknownName("preparation", name, PREPARATIONS)
    return PREPARATIONS[name]


def fitted(picture: Bytes, *, rows: int, columns: int, channels: int, preparation: str) -> Bytes:
    """Convert a finished picture, uint8 (row, column, channel), to a model's input, uint8 (rows, columns, channels);
    the arguments are the fields of the model's `Input`.

    A picture with the right rows and columns only changes its channels: grey is repeated over them, and colour averaged
    to grey. Any other picture is prepared, but not centred, since its maker has framed it already. If nothing has to be
    done, the same array is returned.
    """
    if picture.shape[:2] == (rows, columns):
        return in_channels(picture, channels)
    return named(preparation)(picture, rows=rows, columns=columns, channels=channels, centred=False).picture
