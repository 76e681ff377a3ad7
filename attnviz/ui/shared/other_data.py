"""An experiment about a fixed set of networks, opened beside a model that was trained on other data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnviz import data

if TYPE_CHECKING:
    from attnviz.subjects import Net


def beside(finding: str, net: Net, source: str) -> str:
    """Return a finding, below a sentence that says of which data it is, where these are not those of a net.

    Args:
        finding: of networks that were trained on one data set, in Markdown.
        source: the name of the data set that the networks of the finding were trained on.
    """
    if net.data == source:
        return finding
    title = data.spec(source).title
    return f"Measured with networks that were trained on {title}, not on the data of the model above.\n\n{finding}"
