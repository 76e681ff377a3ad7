"""From a URL to the view that it means."""

import re
from urllib.parse import parse_qsl, urlsplit

from attnviz.errors import BadInput, closest
from attnviz.lessons.lesson import Known, View

OWN = ("lesson", "step", "only")
"""Fields of the URL that say which lesson is open; a view is written without them."""


def view_of(word: str, known: Known, before: View | None) -> View:
    """Return the view that a URL means, such as "draw?data=strokes&number=23", copied from a browser with or without
    the beginning; "?" and fields for the same page as before, with these changed.
    """
    word = word.strip()
    if re.search(r"\s", word):
        raise BadInput(f"A URL has no spaces, and nothing stands behind it: {word[:60]!r}. Write %20 for a space.")
    try:
        parts = urlsplit(word)
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError as error:
        raise BadInput(f"The URL {word[:60]!r} cannot be read: {error}.") from error
    for field in parts.query.split("&") if parts.query else ():
        if not re.fullmatch(r"[A-Za-z_][\w.-]*=[^=]*", field):
            raise BadInput(f"Fields of a URL are NAME=VALUE, with one & between two, and {field[:60]!r} is none.")
    words = dict(pairs)
    if len(words) < len(pairs):
        twice = next(key for key, _ in pairs if [one for one, _ in pairs].count(key) > 1)
        raise BadInput(f"The URL names the field {twice[:60]!r} more than once.")
    words = {key: value for key, value in words.items() if key not in OWN}
    if parts.fragment or word.endswith("#"):
        raise BadInput(f"A URL names no place on its page: leave out '#{parts.fragment[:40]}'.")
    page = parts.path.rstrip("/").rpartition("/")[2]
    if not word or word == "?":
        raise BadInput("A view names its page: PAGE?data=strokes&number=23, as the browser shows it, or home.")
    if word[0] == "?":
        if before is None:
            raise BadInput("The first view names its page: PAGE?data=strokes&number=23, as the browser shows it.")
        return View(before.page, {**before.words, **words})
    whole = parts.scheme in ("http", "https") and parts.netloc and page  # copied from a browser, with or without a path
    if not whole and (parts.scheme or parts.netloc or parts.path.rstrip("/") != page):
        near = [one for one in (page, parts.netloc.partition(":")[0]) if one and (one == "home" or one in known.pages)]
        meant = f"{near[0]}{f'?{parts.query}' if parts.query else ''}" if near else "home"
        raise BadInput(
            f"A URL begins with its page, PAGE?data=strokes, or is one as the browser shows it, "
            f"http://HOST/PAGE?data=strokes, not {word[:60]!r}. Did you mean {meant[:60]!r}?"
        )
    if page == "home":
        page = ""
    elif page not in known.pages or not page:
        raise BadInput(f"There is no page {page[:60]!r}. {closest(page[:60], [one for one in known.pages if one])}")
    return View(page, words)
