"""The pickers that pages share, for the net and the example. Each choice is written into the URL.

model     the key of the net: a checkpoint, or an epoch of its history or of a run
data      the data set
digit     the class of the pictures to choose from; the name dates from when all classes were digits
wrong     "yes" for only those pictures that the model answers wrongly
number    the index in the test split, on every server, even where only samples of the data set are available

An example that is not a picture of a data set, such as a drawing, has its own field instead of the last four.
"""

from collections.abc import Collection

import streamlit as st

from attnviz import cards, data, subjects
from attnviz.data import samples
from attnviz.errors import AttnvizError, BadInput, CheckpointError, DataError
from attnviz.subjects import EXAMPLES, Example, Net, Picture, Subject, own
from attnviz.subjects.pictures import missing
from attnviz.ui.shared import findings, own_models, page, url_state
from attnviz.ui.shared.fitting import ANY as ANY
from attnviz.ui.shared.fitting import Fitting as Fitting
from attnviz.ui.shared.fitting import alike, labels
from attnviz.ui.shared.fitting import default_source as default_source
from attnviz.ui.shared.fitting import nearest as nearest
from attnviz.ui.shared.fitting import sources as sources
from attnviz.ui.shared.fitting import stand_in as stand_in
from attnviz.ui.shared.wording import verbatim, without_shared_start

CLASS = "digit"
_TURN = "number.turn"


def net(names: list[str], default: str, of: Collection[str] | None = None, captured: bool = False) -> Net:
    """Draw the choice of a net and return it.

    A checkpoint that is damaged or has no weights is not offered; if the URL names it, the error says what is wrong. A
    net of another kind, such as an epoch of a run, is offered once the URL names it.

    Args:
        names: The names of the checkpoints to choose from.
        default: The checkpoint to show if the URL names none.
        of: The architectures whose nets of other kinds are shown too; None for all.
        captured: Whether to also offer the model that the server was started with; if `of` is None, it is, and comes
            first.

    Raises:
        CheckpointError: There is no net to choose from, or the one that the URL names cannot be used.
    """
    if of is None or captured:
        own_models.wait_until_built()
    found = _named(of if of is None or not captured else (*of, own.ARCHITECTURE))
    if not names and found is None:
        raise CheckpointError(
            f"There is no trained model of this kind in {cards.folder()}. Restore the committed folder, or train one: "
            "`python -m attnviz reproduce schwarz --train`."
        )
    known = subjects.usable(names)
    if (of is None or captured) and own.there():
        mine = own.own().net
        known[mine.key], names = mine, [*names, mine.key]
        default = mine.key if of is None else default
    if found is not None and found.history in known:  # the epoch slider shows the epoch
        name = st.session_state["model"] = found.history
    elif found is not None:
        name = st.session_state["model"] = found.key
        known[name], names = found, [*names, *({name} - {*names})]
    else:
        first = default if default in known else next(iter(known), names[0])
        if _is_of_another_kind():  # a complaint about it has been shown
            name = st.session_state["model"] = first
        else:
            name = url_state.choice("model", names, first)
    titles = {one: known[one].title if one in known else one for one in names if one in known or one == name}
    st.selectbox("Model", list(titles), key="model", format_func=titles.__getitem__, on_change=_another_net)
    return found or subjects.net(name)


def _another_net() -> None:
    url_state.keep("model")
    st.rerun()  # the whole page, since the part below the choices depends on the net too


def example(net: Net, opens: Example | None = None) -> Example:
    """Draw the choice of an example: data set, class, number, random, next, wrong answers only.

    A drawing, or another example outside the data sets, takes precedence if it is in the URL, with a way back.

    Args:
        opens: The picture that its data set shows until one is chosen; other data sets show their first picture of its
            class. By default this is the first picture of the first class.

    Raises:
        DataError: No picture of these classes is here; the message says how to get some.
    """
    here = sources(net)
    named = _example_in_url(here)
    if named:
        return named
    if not here and (first_of_its_kind := subjects.first_example(net)):
        (kind,) = first_of_its_kind.words
        if page_of := EXAMPLES[kind].page:
            st.caption("The pictures that it was trained on are not here, so it looks at a drawing.")
            page.link(page_of, "Draw or upload another")
        return first_of_its_kind
    if not here:
        for name in alike(net):
            _offer(name)
        if net.data is None:
            raise DataError(f"No data set here has pictures with the size and the classes of {net.key}.")
        data.shown(net.data)  # raises an error that names the missing data and how to get it
    source = url_state.choice("data", here, default_source(net))
    spec = data.spec(source)
    classes = [ANY, *(spec.classes[label] for label in sorted(labels(net, source)))]
    chosen = url_state.choice(CLASS, classes, ANY)
    wrong = url_state.choice("wrong", ["yes", "no"], "no") == "yes"
    shown = data.shown(source)
    fitting = Fitting(net, source, chosen, wrong)
    first = Fitting(net, source, net.classes[0] if chosen == ANY and not wrong else chosen, wrong).after(-1)
    begins = first if first is not None else int(shown.numbers[0])
    if isinstance(opens, Picture) and chosen == ANY and not wrong:
        begins = _begins(net, source, opens, begins)
    number = _number(source, begins)

    if len(here) > 1:
        titles = dict(zip(here, without_shared_start([data.DATASETS[name].title for name in here]), strict=True))
        st.segmented_control(
            "Pictures", here, key="data", format_func=titles.__getitem__, required=True,
            on_change=_restart, args=("data",),
        )  # fmt: skip
    if max(map(len, classes[1:])) == 1:
        st.segmented_control("Digit", classes, key=CLASS, required=True, on_change=_restart, args=(CLASS,))
    else:
        st.selectbox("Shows", classes, key=CLASS, width=160, on_change=_restart, args=(CLASS,))
    key = _number_key()
    st.number_input(
        "Number", 0, int(shown.numbers[-1]), key=key, width=116, on_change=_typed, args=(source, number, key)
    )
    st.button("Next", on_click=lambda: _go(fitting.again().after(number)), disabled=first is None)
    st.button("Random", on_click=lambda: _go(fitting.again().random()), disabled=first is None)
    st.session_state["wrong_only"] = wrong
    with st.container(key="page_wrong", width="content", gap=None):
        st.toggle("Wrong answers only", key="wrong_only", on_change=_toggle_wrong)
        if not fitting.all:
            nothing = first is None
            findings.progress(net, source, until=lambda: nothing and fitting.again().after(-1) is not None, small=True)
    if first is None and fitting.all:
        st.caption("There is no such picture: every answer here is correct.")
    return Picture(source, number)


def _begins(net: Net, source: str, opens: Picture, otherwise: int) -> int:
    """Return the number of the picture shown first: the one that opens the page, or else the first of its class."""
    if opens.data == source:
        return opens.number if opens.number in Fitting(net, source, ANY, wrong=False).numbers else otherwise
    alike = opens.target in net.classes and data.spec(opens.data).classes == data.spec(source).classes
    found = Fitting(net, source, opens.target, wrong=False).after(-1) if alike else None
    return otherwise if found is None else found


def more(subject: Subject) -> None:
    """Draw a caption with the origin of the pictures, if they are samples, and the data sets to download."""
    net, source = subject.net, subject.example.data
    absent = [name for name in alike(net) if data.DATASETS[name].megabytes and not data.available(name)]
    few = source is not None and data.shown(source).split == "samples"
    if not absent and not few:
        return
    with st.container(key="page_more", horizontal=True, vertical_alignment="center"):
        if source is not None and few:
            spec = data.DATASETS[source]
            count = len(data.shown(source).numbers)
            st.caption(f"{count} sample pictures of {spec.title}, {_licence(source)}.", width="content")
        for name in absent:
            _offer(name)


def tests(subject: Subject) -> str:
    """Return the data set of the test pictures for an example: its own or, for a drawing, the net's.

    Raises:
        DataError: No data set here has pictures like those that the net was trained on.
    """
    if source := subject.example.data or default_source(subject.net):
        return source
    raise DataError(
        f"This needs test pictures like those that {subject.net.key} was trained on, and no data set here has any."
    )


def stated(subject: Subject) -> dict[str, str]:
    """Return the URL fields that identify the net and the picture on any server.

    An example that is not from a data set is left out because it is in the URL already, and fills it.
    """
    words = {} if subject.example.data is None else subject.example.words
    return {"model": subject.net.key, **words}


def _number(source: str, first: int) -> int:
    """Return the number that the URL names; if that picture is missing, show a sentence and return the first one."""
    shown, count = data.shown(source), data.DATASETS[source].counts["test"]
    number = url_state.number("number", count, first, _number_key())
    if shown.place(number) is None:
        url_state.complain(f"{missing(source, number)} You see {first:,} instead.")
        number = st.session_state[_number_key()] = first
    return number


def _number_key() -> str:
    """Return the key of the number's widget, a new one after each button that changes the number.

    A browser sends the values of all widgets with every message. A component's report sent before the new number has
    reached the browser contains the previous number, which would be mistaken for typed input.
    """
    turn: int = st.session_state.get(_TURN, 0)
    return f"number {turn}" if turn else "number"


def _typed(source: str, before: int, key: str) -> None:
    if key == _number_key():
        url_state.set_value(number=nearest(source, int(st.session_state[key]), before))


def _licence(source: str) -> str:
    return "MIT licence" if samples.about()[source]["licence"].startswith("MIT") else "no licence stated"


def _is_of_another_kind() -> bool:
    """Return whether the URL names a net that is not a checkpoint."""
    return ":" in st.query_params.get("model", "")


def _named(of: Collection[str] | None) -> Net | None:
    """Return the net that the URL names if it is not a checkpoint and can be shown here, or None otherwise."""
    if not _is_of_another_kind():
        return None
    word = st.query_params["model"]
    try:
        found = subjects.net(word)
    except AttnvizError as error:
        url_state.complain(str(error))
        return None
    if of is not None and found.architecture not in of:
        url_state.complain(f"{word} does not belong to this page. Look at it in the explorer.")
        return None
    return found


def _example_in_url(here: list[str]) -> Example | None:
    """Draw the choices for the drawing, or other example outside the data sets, in the URL, if it can be read."""
    try:
        found = subjects.example_in_url(st.query_params.to_dict())
        if found is None:
            return None
        _ = found.picture
    except BadInput as error:
        url_state.complain(str(error))
        return None
    (kind,) = found.words
    row = EXAMPLES[kind]
    titles = {kind: row.title, **{name: data.DATASETS[name].title for name in here}}
    st.session_state["data"] = kind
    st.segmented_control(
        "Pictures", list(titles), key="data", format_func=titles.__getitem__, required=True, on_change=_leave_named
    )
    if row.page:
        page.link(row.page, row.back)
    return found


def open_picture(picture: Picture) -> None:
    """Write a picture of a data set into the URL, replacing the example there."""
    url_state.set_value(**dict.fromkeys(EXAMPLES), **picture.words)


def _leave_named() -> None:
    url_state.set_value(data=st.session_state["data"], number=None, **dict.fromkeys(EXAMPLES))


def _restart(key: str) -> None:
    url_state.set_value(**{key: st.session_state[key], "number": None})


def _go(number: int | None) -> None:
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
    url_state.set_value(number=number)


def _toggle_wrong() -> None:
    url_state.set_value(wrong="yes" if st.session_state["wrong_only"] else None, number=None)


def _offer(name: str) -> None:
    """Draw the button that downloads a data set, with its progress, and rerun the page once it is downloaded."""
    spec = data.DATASETS[name]
    if not st.button(f"Get {spec.title} ({spec.megabytes} MB)", key=f"get_{name}", type="tertiary"):
        return
    bar = st.progress(0.0, f"Getting {spec.title}")

    def show(fraction: float, sentence: str) -> None:
        bar.progress(fraction, sentence)

    try:
        data.fetch(name, show)
    except AttnvizError as error:
        bar.empty()
        st.error(verbatim(str(error)))
    else:
        st.rerun()
