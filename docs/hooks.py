"""For the site: what documents link to outside of docs/ is not on the site, and stands there as text."""

import re
from typing import Any

_OUTSIDE = re.compile(r"(?<!!)\[([^\]]+)\]\(\.\./[^)]+\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return a page without links to files of the repository that are not on the site."""
    return _OUTSIDE.sub(r"\1", markdown)
