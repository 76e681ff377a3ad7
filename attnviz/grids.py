"""The positions of tokens on the picture. Importing this module does not import torch."""

from dataclasses import dataclass

from attnviz.errors import BadInput


@dataclass(frozen=True)
class Grid:
    """The positions of a layer's tokens on the input picture, row by row; row 0 is the top.

    Args:
        rows, columns: the shape of the grid of tokens.
        prefix: the number of leading tokens without a position, such as a class token.
        offset: (row, column) of the top left corner of the first token's box, in pixels of the input picture.
        stride: pixels from one token's box to the next, down and across.
        field: height and width of a token's box in pixels.
    """

    rows: int
    columns: int
    prefix: int = 0
    offset: tuple[float, float] = (0.0, 0.0)
    stride: float = 1.0
    field: float = 1.0

    @property
    def tokens(self) -> int:
        """The number of tokens, including those without a position."""
        return self.prefix + self.rows * self.columns

    def box(self, token: int) -> tuple[float, float, float, float] | None:
        """Return top, left, bottom, right of a token in pixels of the input picture, or None if it has no position."""
        if not 0 <= token < self.tokens:
            raise BadInput(f"Token {token} is not on this grid: it has {self.tokens}, counted from 0.")
        if token < self.prefix:
            return None
        row, column = divmod(token - self.prefix, self.columns)
        top, left = self.offset[0] + row * self.stride, self.offset[1] + column * self.stride
        return top, left, top + self.field, left + self.field

    def token(self, row: int, column: int) -> int:
        """Return the number of the token in a cell.

        Raises:
            BadInput: there is no such cell.
        """
        if not (0 <= row < self.rows and 0 <= column < self.columns):
            raise BadInput(f"({row}, {column}) is not on this grid of {self.rows} x {self.columns} tokens.")
        return self.prefix + row * self.columns + column

    @property
    def boxes(self) -> list[float]:
        """The layout of the boxes for the browser: top, left, step down, step across, height, width, in pixels."""
        return [float(part) for part in (*self.offset, self.stride, self.stride, self.field, self.field)]

    def tiles(self, rows: int, columns: int) -> bool:
        """Return whether the boxes tile a picture of the given size in pixels exactly."""
        covered = self.rows * self.stride, self.columns * self.stride
        return self.offset == (0.0, 0.0) and self.stride == self.field and covered == (rows, columns)

    def after(self, window: int, step: int, padding: int, rows: int, columns: int) -> "Grid":
        """Return the grid of rows x columns cells that are each computed from a window of window x window of this
        grid's cells, `step` apart, with `padding` cells of zeros above and on the left.
        """
        top, left = (start - padding * self.stride for start in self.offset)
        return Grid(
            rows,
            columns,
            offset=(top, left),
            stride=step * self.stride,
            field=self.field + (window - 1) * self.stride,
        )
