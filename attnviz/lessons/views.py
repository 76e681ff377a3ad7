"""From a URL to the view that it means."""

from urllib.parse import parse_qsl, urlsplit

from attnviz.errors import BadInput, closest
from attnviz.lessons.lesson import Known, View

OWN = ("lesson", "step", "only")
"""Fields of the URL that say which lesson is open; a view is written without them."""


def view_of(word: str, known: Known, before: View | None) -> View:
    """Return the view that a URL means.

    Args:
        word: such as "draw?data=strokes&number=23", copied from a browser with or without the beginning; "?"
            and fields for the same page as before, with these changed.

    Raises:
        BadInput: it is no URL of a page.
    """
    try:
        parts = urlsplit(word.strip())
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError as error:
        raise BadInput(f"The URL {word[:60]!r} cannot be read: {error}.") from error
    words = dict(pairs)
    if len(words) < len(pairs):
        twice = next(key for key, _ in pairs if [one for one, _ in pairs].count(key) > 1)
        raise BadInput(f"The URL names the field {twice[:60]!r} more than once.")
    words = {key: value for key, value in words.items() if key not in OWN}
    page = parts.path.rstrip("/").rpartition("/")[2]
    if not page and not parts.netloc and parts.query and not parts.path:
        if before is None:
            raise BadInput("The first view names its page: PAGE?data=strokes&number=23, as the browser shows it.")
        return View(before.page, {**before.words, **words})
    if page == "home":
        page = ""
    if page not in known.pages:
        raise BadInput(f"There is no page {page[:60]!r}. {closest(page[:60], [one for one in known.pages if one])}")
    return View(page, words)
