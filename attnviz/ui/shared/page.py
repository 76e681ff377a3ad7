"""The frame of every page: its question, things to try, explanations, links, and errors as sentences.

    from attnviz.ui.shared import page

    page.start("Pixel attention", "Where does this pixel take its information from?",
               tries=[("the loop of an 8", {"digit": "8", "query": "9,12"})])
    with page.sentences():
        ...                                      # an AttnvizError raised here is shown as a sentence
    page.meaning("Each pixel is a token ...", "A large weight is not a large effect ...")

A page's view is in its URL (url_state.py): *try* buttons and links change the URL, and the page follows.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from urllib.parse import urlencode

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError

from attnviz.errors import AttnvizError
from attnviz.looks import one_look
from attnviz.ui.shared import url_state
from attnviz.ui.shared.wording import verbatim

LOOKS = 0.5
"""Seconds after which a run checks again whether a file inside a checkpoint has changed."""

_SWITCHED = "page_switched"  # session state key: the model that a *try* has just switched to


def start(title: str, question: str, tries: Sequence[tuple[str, Mapping[str, str]]] = ()) -> None:
    """Draw the head of a page.

    Args:
        question: The question that the page answers, in one sentence of Markdown.
        tries: Suggestions, each a label and the URL fields that show it. A click sets these fields and removes all
            others, so that everybody sees the same view; a picture is named by its data set and number.
    """
    url_state.arrive()
    st.set_page_config(page_title=f"{title} \u00b7 attnviz")
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
                            on_click=_try,
                            args=(words,),
                        )
        switched = st.session_state.pop(_SWITCHED, None)
        if switched:
            st.toast(f"You now see another model: **{verbatim(_title_of(switched))}**.")


@contextmanager
def choices() -> Iterator[None]:
    """Draw the contents of the block as the page's only row of choices; on a phone this is a drawer, initially closed.

    The switch that opens the drawer is shown only on a phone (frontend/core/page.css). Complaints about an invalid URL
    appear above both.
    """
    complaints = st.container()
    st.toggle("Choose model and picture", key="page_drawer")
    row = st.container(key="page_choices", horizontal=True, vertical_alignment="bottom")
    with url_state.complaints_in(complaints), row:
        yield


def meaning(means: str, does_not_show: str) -> None:
    """Draw the end of a page: what its pictures mean next to what they do not show, both in Markdown."""
    with st.container(key="page_meaning"):
        left, right = st.columns(2, gap="large")
        left.header("What it means", anchor=False)
        left.markdown(means)
        right.header("What it does not show", anchor=False)
        right.markdown(does_not_show)


def link(page: str, label: str, **parameters: object) -> None:
    """Draw a link to the page of a file in pages/, such as "10_pixel_attention.py", with URL fields such as digit=8."""
    try:
        st.page_link(page, label=label, query_params=_words_of(parameters))
    except StreamlitPageNotFoundError:  # this page runs alone, without the navigation; an ordinary link does the same
        st.markdown(written_link(page, label, **parameters))


def written_link(page: str, label: str, **parameters: object) -> str:
    """Return a Markdown link to another page, for use inside a sentence; the arguments are those of `link`."""
    words = _words_of(parameters)
    return f"[{label}]({_url_of(page)}{'?' if words else ''}{urlencode(words)})"


@contextmanager
def sentences() -> Iterator[None]:
    """Show an AttnvizError raised in the block as its sentence, in place of the missing contents.

    The whole block sees the checkpoints and data sets as they were when it began.
    """
    try:
        with one_look(LOOKS):
            yield
    except AttnvizError as error:
        st.error(verbatim(str(error)))


def _try(words: Mapping[str, str]) -> None:
    """Show the view of a *try* button, and remember the model that it switches to so that the page can announce it."""
    before, model = url_state.shown().get("model"), words.get("model")
    url_state.become({"v": url_state.VERSION, **words})
    if model and before not in (None, model):
        st.session_state[_SWITCHED] = model


def _title_of(model: str) -> str:
    from attnviz import cards

    card = cards.readable([model]).get(model)
    return model if card is None else card.recipe.title


def _words_of(parameters: Mapping[str, object]) -> dict[str, str]:
    words = {key: str(value) for key, value in parameters.items()}
    return {**words, "v": url_state.VERSION} if words else {}


def _url_of(page: str) -> str:
    """Return Streamlit's URL path for a page's file: pixel_attention for 10_pixel_attention.py."""
    return re.sub(r"^\d+_|\.py$", "", page)
