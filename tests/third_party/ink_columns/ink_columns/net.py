"""The row of `attnviz.subjects.NETS`: "ink_columns:84" is the net that weighs the ink of 84 columns."""

from attnviz.errors import UnknownName
from attnviz.models import Input
from attnviz.subjects import Net

ROWS, COLUMNS = 28, 84
KEY = f"ink_columns:{COLUMNS}"


def found(key: str) -> Net:
    """Return the net with that key.

    Raises:
        UnknownName: it is another one.
    """
    if key != KEY:
        raise UnknownName("net", key, [KEY])
    from ink_columns.module import Columns

    return Net(
        key=key,
        title="The ink of columns",
        architecture="ink_columns",
        config={},
        classes=("left", "right"),
        input=Input(1, ROWS, COLUMNS),
        digest="0",
        build=lambda: Columns(COLUMNS),
    )
