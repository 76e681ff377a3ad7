"""The mechanisms' pages for the navigation; a page that cannot be made is replaced by an explanation."""

from collections.abc import Callable, Collection, Iterable, Iterator

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.navigation.page import StreamlitPage

from attnviz.errors import BadInput
from attnviz.ui.mechanisms import guard
from attnviz.ui.mechanisms.mechanism import Mechanism
from attnviz.ui.shared import page as frame
from attnviz.ui.shared.wording import verbatim


def pages(rows: Iterable[Mechanism], taken: Collection[str]) -> Iterator[tuple[Mechanism, StreamlitPage]]:
    """Yield the pages of all mechanisms, then their additional pages, with an explanation for any that cannot be made.

    A mechanism whose last URL part is `taken`, or used by an earlier mechanism, is left out of the navigation because
    no URL can lead to two pages.
    """
    rows, urls = list(rows), {*taken}
    wanted = [(row, row.page, row.title, row.url) for row in rows]
    wanted += [(row, one.page, one.title, one.url) for row in rows for one in row.further]
    for row, file, title, url in wanted:
        try:
            found = st.Page(file, title=title, url_path=url)
            if found.url_path in urls:
                raise BadInput(f"Its URL, {url!r}, is that of another page.")
        except guard.FAULTS as error:
            instead = _saying(title, str(guard.failed(row, "page", error)))
            try:
                found = st.Page(instead, title=title, url_path=url)
            except StreamlitAPIException:  # its title or URL is invalid, which has been logged
                continue
            if found.url_path in urls:
                continue
        urls.add(found.url_path)
        yield row, found


def _saying(title: str, sentence: str) -> Callable[[], None]:
    def say() -> None:
        frame.start(title, "")
        st.error(verbatim(sentence))

    return say
