"""The frame every page stands in: the question, what to try, what it means, links, and errors as sentences.

    from attnviz.ui import page

    page.start("Pixel attention", "Where does this pixel take its information from?",
               tries=[("the loop of an 8", {"digit": "8", "query": "9,12"})])
    with page.sentences():
        ...                                      # an AttnvizError raised here becomes a sentence, here
    page.meaning("Each pixel is a token ...", "A large weight is not a large effect ...")

The view of a page is in its address (attnviz/ui/address.py): a *try* and a link write an address, the page follows.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from attnviz.errors import AttnvizError

WORD_JOINER = "\u2060"  # invisible; Markdown makes no link of an address that has one in it


def start(title: str, question: str, tries: Sequence[tuple[str, Mapping[str, str]]] = ()) -> None:
    """Draw the head of a page.

    Args:
        title: the name of the page, as in the navigation.
        question: what the page answers, in one sentence; Markdown.
        tries: what to try first: a label, and the words of the address that show it. A click sets these and takes all
            others out, so that everybody sees the same.
    """
    with st.container(key="page_head"):
        st.title(title, anchor=False)
        with st.container(key="page_question", horizontal=True, vertical_alignment="center"):
            st.markdown(question, width="content")
            if tries:
                with st.container(key="page_tries", horizontal=True, vertical_alignment="center"):
                    st.markdown("Try", width="content")
                    for number, (label, words) in enumerate(tries):
                        st.button(
                            f":primary-badge[{label}]",
                            key=f"page_try_{number}",
                            type="tertiary",
                            on_click=st.query_params.from_dict,
                            args=(dict(words),),
                        )


def meaning(means: str, does_not_show: str) -> None:
    """Draw the end of a page: what its pictures mean and, beside it, what they do not show. Both Markdown."""
    with st.container(key="page_meaning"):
        st.divider()
        left, right = st.columns(2, gap="large")
        left.header("What it means", anchor=False)
        left.markdown(means)
        right.header("What it does not show", anchor=False)
        right.markdown(does_not_show)
        st.caption("The address of this page holds what you chose: copy it to share this view.")


def link(page: str, label: str, **parameters: Any) -> None:
    """Draw a link to another page, with a view of it.

    Args:
        page: its file in pages/, such as "10_pixel_attention.py".
        label: the words to click on.
        **parameters: what stands in the address there, such as digit=8.
    """
    words = {key: str(value) for key, value in parameters.items()}
    try:
        st.page_link(page, label=label, query_params=words)
    except StreamlitPageNotFoundError:  # this page runs alone, without the navigation: an ordinary link says as much
        st.markdown(f"[{label}]({_address(page)}?{urlencode(words)})")


@contextmanager
def sentences() -> Iterator[None]:
    """Show an AttnvizError raised inside as its own sentence, where the thing would have been."""
    try:
        yield
    except AttnvizError as error:
        st.error(verbatim(str(error)))


def verbatim(text: str) -> str:
    """Return Markdown that shows `text` as it is: it may quote what a stranger wrote into the address."""
    unlinked = re.sub(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?=@)", WORD_JOINER, text)
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", unlinked)


def _address(page: str) -> str:
    """Return the address of a page's file as Streamlit makes it: 10_pixel_attention.py is at pixel_attention."""
    return re.sub(r"^\d+_|\.py$", "", page)
