"""What a pass of a model was seen to do, a line for each call."""

from collections.abc import Callable, Iterable, Mapping

from torch import nn

from attnviz.capture import refusals
from attnviz.capture.call import Call
from attnviz.capture.capturing import Capture, address
from attnviz.capture.gates import Gate
from attnviz.capture.places import Both, Places
from attnviz.capture.readings import gates_of

_HEAD = ("layer", "heads", "queries", "keys", "windows", "grid", "prefix", "kind", "seen by", "tap path of the weights")


def report_of(capture: Capture, calls: Mapping[str, Call], places: Callable[[str], Both | None]) -> str:
    """Return a table of the calls that were captured, of gates, and of what was refused and why."""
    shown = [call for call in calls.values() if not call.refused]
    lines = [f"{type(capture.model).__name__}: {_count(len(shown), 'attention call')} captured."]
    if shown:
        lines += [
            "",
            *_table([_HEAD, *(_row(number, call, places(call.where.key)) for number, call in enumerate(shown))]),
        ]
    if gates := gates_of(capture):
        lines += ["", f"{_count(len(gates), 'gate')}:", "", *_table([_GATES, *map(_gate, gates, gates.values())])]
    refused: dict[str, list[str]] = {}
    for call in calls.values():
        if call.refused:
            refused.setdefault(call.refused, []).append(call.where.said)
    for reason, paths in refused.items():
        more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
        lines += ["", f"Refused: {', '.join(paths[:_SHOWN])}{more}: {reason}."]
    if missed := refusals.missed(capture.model, {*(call.where.path for call in calls.values()), *_modules(gates)}):
        more = f" and {len(missed) - _SHOWN} more" if len(missed) > _SHOWN else ""
        lines += ["", f"Nothing was captured of what looks like attention in {', '.join(missed[:_SHOWN])}{more}."]
    if capture.slow_paths:
        ran = f"{_count(capture.slow_paths, 'call')} of nn.MultiheadAttention ran without torch's fast path"
        lines += ["", f"{ran}, so that the model's answers are the same up to rounding, not to the last bit."]
    return "\n".join(lines)


_SHOWN = 3  # paths of calls that are refused for one reason
_GATES = ("features", "one factor for each", "tap path")


def _row(number: int, call: Call, both: Both | None) -> tuple[str, ...]:
    by = "nn.MultiheadAttention" if isinstance(call.where.module, nn.MultiheadAttention) else call.function
    windows = call.layout.size("window")
    found = both or Both(None, None)
    own, others = _grid(found.query), _grid(found.key)
    grid = own if own == others else f"{own} -> {others}"
    prefix = "-" if found.key is None or windows > 1 else found.key.grid.prefix
    kind = "windows" if windows > 1 else "self" if own == others and call.queries == call.keys else "cross"
    numbers = (number, call.layout.size("head"), call.queries, call.keys, windows, grid, prefix)
    return (*map(str, numbers), kind, by, address(call.where.key, "weights"))


def _grid(places: Places | None) -> str:
    return "none" if places is None else f"{places.grid.rows} x {places.grid.columns}"


def _gate(path: str, gate: Gate) -> tuple[str, ...]:
    return " x ".join(map(str, gate.features)), "channel" if gate.tap == "gate" else "place", path


def _modules(gates: Iterable[str]) -> set[str]:
    return {path.rpartition(".")[0].partition("@")[0] for path in gates}


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _table(rows: Iterable[tuple[str, ...]]) -> list[str]:
    rows = list(rows)
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows]
