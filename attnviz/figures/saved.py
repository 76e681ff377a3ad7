"""The base of all figures: writing a file in the format of its suffix, and display in a notebook."""

import sys
import warnings
from base64 import b64encode
from functools import cached_property
from pathlib import Path
from typing import Any

from attnviz import files
from attnviz.errors import BadInput

LARGE = 20_000_000  # size of a page in bytes that causes a warning
SUFFIXES = ("pdf", "svg", "png", "csv", "npz", "html")


class Figure:
    """The result of `attnviz.figure`; each kind defines how its numbers, its picture and its page are made.

    The same object provides the picture, the numbers and the viewer, so that they cannot differ.
    """

    def draw(self, axes: Any) -> None:
        """Draw into existing axes of matplotlib.

        Args:
            axes: one axes per map, in the order of the layers, and for each layer of the heads.

        Raises:
            BadInput: the numbers of axes and maps differ, or this kind of figure can only be saved as a whole.
        """
        raise BadInput('This kind of figure is not drawn into axes: save it as a whole, as figure.save("fig.pdf").')

    def save(self, path: str | Path) -> Path:
        """Write the figure. The size of an HTML page is printed first.

        Args:
            path: path of the file, whose suffix determines the format: pdf, svg or png (a picture, by matplotlib), csv
                or npz (the numbers in full precision), html (the viewer, in one file that needs no network).

        Returns:
            The path.

        Raises:
            BadInput: the suffix is unknown, or the file cannot be written; an existing file is then left unchanged.
        """
        path = Path(path)
        kind = path.suffix.lower().removeprefix(".")
        if kind not in SUFFIXES:
            raise BadInput(f"{path.name}: a figure is saved as one of {', '.join(SUFFIXES)}; end the name with it.")
        if kind in ("csv", "npz"):
            content = self._numbers(kind)
        elif kind == "html":
            content = self.html().encode()
            sys.stderr.write(f"{path} takes {len(content) / 1e6:.1f} MB.\n")
            if len(content) > LARGE:
                warnings.warn(
                    f"{path.name} takes {len(content) / 1e6:.0f} MB: browsers open it slowly. Choose fewer layers.",
                    stacklevel=2,
                )
        else:
            content = self._picture(kind)
        try:
            files.write(path, content)
        except OSError as error:
            raise BadInput(f"{path} cannot be written: {files.reason(error)}.") from error
        return path

    def html(self) -> str:
        """Return the viewer as one page of HTML, which needs no network."""
        return self._page

    @property
    def megabytes(self) -> float:
        """The size of the HTML page."""
        return len(self._page.encode()) / 1e6

    def words(self) -> str:
        """Return a description of the figure."""
        raise NotImplementedError

    @cached_property
    def _page(self) -> str:
        return self._made_page()

    def _numbers(self, kind: str) -> bytes:
        raise NotImplementedError

    def _picture(self, kind: str) -> bytes:
        raise NotImplementedError

    def _made_page(self) -> str:
        raise NotImplementedError

    def _repr_png_(self) -> bytes:
        return self._picture("png")

    def _repr_html_(self) -> str:
        from attnviz.figures import page

        return page.for_notebook(self.html(), self.words(), self._repr_png_())

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {
            "text/plain": self.words(),
            "text/html": self._repr_html_(),
            "image/png": b64encode(self._repr_png_()).decode(),
        }
