"""The experiments on the page, each a question."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from attnviz import cards
from attnviz.charts import with_minus
from attnviz.charts.bars import Row, bars
from attnviz.subjects import Loaded, Net, Strip, Subject
from attnviz.ui.components.alignment import Curve
from attnviz.ui.mechanisms.sequences import curves, findings
from attnviz.ui.mechanisms.sequences.measured import Agreed, Of, OrderPart, Steered
from attnviz.ui.shared import cache, jobs
from attnviz.ui.shared.experiments import Experiment, finding
from attnviz.ui.shared.over_many import over_many
from attnviz.ui.shared.reserved import container_key

ADDITIVE, ONE_VECTOR = "encoder_decoder.strips-15", "encoder_decoder.strips-15-one-vector"
UNIFORM = "encoder_decoder.strips-15-uniform"
PATIENT = ("encoder_decoder.strips-15-patient", "encoder_decoder.strips-15-one-vector-patient")
LONG = "encoder_decoder.strips-30"
TRANSFORMER, NO_POSITIONS = "transformer.strips-15", "transformer.strips-15-no-positions"
LONG_TRANSFORMER = "transformer.strips-30"
SORTED = tuple(
    f"{architecture}.strips-15-sorted{more}"
    for architecture, more in (("encoder_decoder", ""), ("transformer", ""), ("transformer", "-no-positions"))
)
LENGTHS = (1, 3, 5, 8, 10, 15)
BEYOND = (10, 15, 16, 18, 20, 30)
STRIPS, OF_AGREEMENT = 32, 8
"""The number of test strips measured, and a smaller one for agreement, whose erasures take longest."""
PARTS = 4
"""The number of parts in which they are measured."""
MEASURED = "measured"
"""The URL field that is "no" if the measurement has been stopped."""

_BEGINS: Mapping[str, Any] = {"what": "strips", "begins": True}
T = TypeVar("T")


def bottleneck(subject: Subject) -> None:
    """Draw the share of correct digits by length, with attention and through one vector."""
    say = finding()
    found = _curves((ADDITIVE, ONE_VECTOR, UNIFORM, *PATIENT))
    if ADDITIVE not in found or ONE_VECTOR not in found:
        say(findings.NOT_MEASURED)
        return
    say(findings.bottleneck(found[ADDITIVE], found[ONE_VECTOR], *(found.get(key) for key in PATIENT)))
    _table([found[key] for key in found], LENGTHS, "bottleneck")
    st.caption(findings.BOTTLENECK)


def steering(subject: Subject) -> None:
    """Draw how the answers change when the weights are replaced."""
    from attnviz.ui.mechanisms.sequences import many

    source, length = _strips_of(subject)
    work = _work("steering", many.steer, [subject.net], source, length, STRIPS)
    over_many(MEASURED, STRIPS, work, lambda parts: _draw_steering(many.steered(parts), length), **_BEGINS)


def _draw_steering(found: Steered, length: int) -> None:
    finding()(findings.steering(found))
    rows = [
        Row(findings.REPLACED[name], (100 * found.digits[name],), f"{found.apart[name]:.3f}", control=name != "own")
        for name in found.digits
    ]
    with st.container(key=container_key(len(rows), "steering")):
        table = bars(rows, "weights", ("digits right, %",), "change of the answer, 0 to 1", whole=100, decimals=2)
        st.markdown(table, unsafe_allow_html=True)
    st.caption(findings.steering_caption(found.strips, length))


def positions(subject: Subject) -> None:
    """Draw how well a Transformer reads with and without positions."""
    from attnviz.subjects import net, usable
    from attnviz.ui.mechanisms.sequences import many

    names = [name for name in (TRANSFORMER, NO_POSITIONS) if name in usable([TRANSFORMER, NO_POSITIONS])]
    if len(names) < 2:
        finding()(findings.NOT_MEASURED)
        return
    source, length = _strips_of(subject)
    nets = [net(name) for name in names]

    def draw(parts: list[OrderPart]) -> None:
        if len(parts) >= len(nets):
            found = [many.ordered(parts[place :: len(nets)]) for place in range(len(nets))]
            _draw_positions(nets, found, length, sum(len(part.right) for part in parts[1 :: len(nets)]))

    over_many(MEASURED, STRIPS, _work("positions", many.order, nets, source, length, STRIPS), draw, **_BEGINS)
    _draw_sorting()


def _draw_positions(nets: Sequence[Net], found: Sequence[tuple[float, float, float]], length: int, strips: int) -> None:
    finding()(findings.positions(*found[0], *found[1], length))
    rows = [
        Row(one.title, (100 * right, 100 * somewhere), findings.of_a_logit(change), control=one.key == NO_POSITIONS)
        for one, (right, somewhere, change) in zip(nets, found, strict=True)
    ]
    heads = ("in the right place, %", "anywhere in the answer, %")
    with st.container(key=container_key(len(rows), "positions")):
        st.markdown(
            bars(rows, "model", heads, "largest change of a logit", whole=100, decimals=2), unsafe_allow_html=True
        )
    st.caption(findings.positions_caption(length, strips))


def _draw_sorting() -> None:
    """Draw how well digits are sorted, which does not require their order, compared with a guess; from the cards."""
    found = _curves(SORTED)
    if not found:
        return
    longest = found[next(iter(found))].lengths[-1]
    guess = curves.guess(found[next(iter(found))].lengths)
    st.markdown(findings.sorting(guess, *map(found.get, SORTED)))
    mended = {one.key: f"{one.distance[-1]:.3f}" if one.distance else "" for one in found.values()}
    remark = f"changes per digit that would mend a text of {longest}"
    _draw_table([*found.values(), guess], LENGTHS, "sorted", remark, mended)
    st.caption(findings.SORTING)


def beyond(subject: Subject) -> None:
    """Draw accuracies at the trained lengths and beyond."""
    say = finding()
    found = _curves((ADDITIVE, LONG, TRANSFORMER, LONG_TRANSFORMER))
    if not found:
        say(findings.NOT_MEASURED)
        return
    say(findings.beyond(found.get(ADDITIVE), found.get(TRANSFORMER), found.get(LONG), found.get(LONG_TRANSFORMER)))
    _table(list(found.values()), BEYOND, "beyond")
    st.caption(findings.BEYOND)


def agreement(subject: Subject) -> None:
    """Draw how far weights, gradient and erasure agree on which digits count."""
    from attnviz.ui.mechanisms.sequences import many

    source, length = _strips_of(subject, most=10)
    work = _work("agreement", many.agree, [subject.net], source, length, OF_AGREEMENT)
    over_many(MEASURED, OF_AGREEMENT, work, lambda parts: _draw_agreement(many.agreed(parts), length), **_BEGINS)


def _draw_agreement(found: Agreed, length: int) -> None:
    finding()(findings.agreement(found))
    rows = [
        Row(
            f"{findings.METHODS[one]} and {findings.METHODS[other]}",
            (max(0.0, value),),
            with_minus(f"{value:+.2f}, standard deviation {found.spread[one, other]:.2f}"),
            control="weights" not in (one, other),
        )
        for (one, other), value in found.mean.items()
    ]
    with st.container(key=container_key(len(rows), "agreement")):
        table = bars(rows, "methods", ("Kendall\u2019s tau",), "mean over steps", whole=1, decimals=2)
        st.markdown(table, unsafe_allow_html=True)
    st.markdown(findings.hits(found))
    st.caption(findings.agreement_caption(found, length))


def _work(
    name: str, measure: Callable[[Loaded, Of], T], nets: Sequence[Net], source: str, length: int, count: int
) -> Callable[[], jobs.Job[T]]:
    """Return the job of an experiment, shared by all visitors; each part is one net on some of the strips."""
    together = count // PARTS

    def part(number: int) -> T:
        turn, place = divmod(number, len(nets))
        return measure(cache.single(nets[place]), Of(source, length, together * turn, together))

    key = (name, *((one.key, one.digest) for one in nets), source, length, count)
    return lambda: jobs.job(key, part, PARTS * len(nets))


def _no_weights(subject: Subject) -> str | None:
    net = subject.net
    if net.config.get("attention", "transformer") in ("none", "uniform"):
        return f"{net.title} has no weights of its own. Choose a model with attention."
    return None


def _cannot_swap(subject: Subject) -> str | None:
    if _strips_of(subject)[1] < 2:
        return "Weights can only be swapped between digits: choose a strip of two digits or more."
    return _no_weights(subject)


def _cannot_rank(subject: Subject) -> str | None:
    if _strips_of(subject)[1] < 3:
        return "Digits can be ranked from three digits on: choose a longer strip."
    return _no_weights(subject)


def _curves(names: Sequence[str]) -> dict[str, Curve]:
    found = {name: curves.of_card(name, card) for name, card in cards.readable(list(names)).items()}
    return {name: found[name] for name in names if found.get(name) is not None}  # type: ignore[misc]


def _table(rows: Sequence[Curve], lengths: Sequence[int], key: str) -> None:
    """Draw the share of correct digits by length, and whole strips next to the share that independent errors give."""
    longest = max(length for length in lengths if all(length in one.lengths for one in rows))
    remarks = {}
    for one in rows:
        digits, exact = (values[one.lengths.index(longest)] for values in (one.digits, one.exact))
        remarks[one.key] = f"{100 * exact:.1f} ({100 * digits**longest:.1f})"
    remark = f"whole strips of {longest}, %"
    _draw_table(rows, lengths, key, remark, remarks)


def _draw_table(
    rows: Sequence[Curve], lengths: Sequence[int], key: str, remark: str, remarks: Mapping[str, str]
) -> None:
    shown = [length for length in lengths if all(length in one.lengths for one in rows)]
    made = [
        Row(
            one.title,
            tuple(100 * one.digits[one.lengths.index(length)] for length in shown),
            remarks.get(one.key, ""),
            control=one.control,
        )
        for one in rows
    ]
    with st.container(key=container_key(len(made), key)):
        heads = [f"{length} digit{'s' * (length > 1)}" for length in shown]
        st.markdown("Digits right, %, by the length of the strip:")
        st.markdown(bars(made, "model", heads, remark, whole=100, decimals=2), unsafe_allow_html=True)


def _strips_of(subject: Subject, most: int = 15) -> tuple[str, int]:
    """Return the source and length of the test strips that are measured, taken from the strip that is shown."""
    example = subject.example
    if isinstance(example, Strip) and not example.is_drawn:
        return example.word.partition(".")[0], min(most, len(example))
    return "strokes", min(most, len(example) if isinstance(example, Strip) else 8)


EXPERIMENTS = {
    "bottleneck": Experiment(
        "Is one vector a bottleneck?",
        "Compares the share of correct digits by the length of the strip, with attention and through one vector.",
        bottleneck,
    ),
    "steering": Experiment(
        "Do the weights steer the answer?",
        "Replaces the weights of the steps: by those of another step, permuted ones, equal ones, or only the peak.",
        steering,
        (MEASURED,),
        _cannot_swap,
    ),
    "positions": Experiment(
        "What is read without positions?",
        "Compares a Transformer that receives the positions of columns with one that does not.",
        positions,
        (MEASURED,),
    ),
    "beyond": Experiment(
        "What happens past the trained length?",
        "Compares models that were trained on strips of up to 15 and of up to 30 digits.",
        beyond,
    ),
    "agreement": Experiment(
        "Is the weight where the digit is?",
        "Ranks the digits by weight, by gradient and by erasure, and compares the ranks.",
        agreement,
        (MEASURED,),
        _cannot_rank,
    ),
}
