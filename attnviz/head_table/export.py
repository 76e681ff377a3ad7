"""The table of heads as CSV, npz and JSON, or together with claims as one self-contained HTML file."""

import csv
import html
import io
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attnviz.head_table.claims import Outcome
from attnviz.head_table.table import MEASURES, METHOD, Heads, Mean


def rows(table: Heads, claims: Sequence[Outcome] = ()) -> list[dict[str, Any]]:
    """Return a row per head: its name, and the mean and interval of each measure and claim, also for random weights."""
    means = {name: (table.mean(name), table.random.mean(name) if table.random else None) for name in MEASURES}
    means |= {f"claim {one.name}": (one.holds, one.random) for one in claims}
    found = []
    for at, head in enumerate(table.heads):
        row: dict[str, Any] = {"head": head.name, "attention": head.path}
        for name, both in means.items():
            for kind, mean in zip(("", " random"), both, strict=True):
                if mean is not None:
                    row |= {f"{name}{kind}{end}": _number(value[at]) for end, value in _ends(mean).items()}
        nearest = int(table.nearest[at])
        found.append({**row, "nearest": table.heads[nearest].name if nearest >= 0 else None})
    return found


def to_csv(table: Heads, claims: Sequence[Outcome] = (), origin: Mapping[str, Any] | None = None) -> str:
    """Return the rows as CSV, preceded by their origin in lines that start with #."""
    text, found = io.StringIO(), rows(table, claims)
    for name, value in _origin(table, origin).items():
        text.write(f"# {name}: {value}\n")
    writer = csv.DictWriter(text, list(found[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return text.getvalue()


def to_json(table: Heads, claims: Sequence[Outcome] = (), origin: Mapping[str, Any] | None = None) -> str:
    """Return the rows and their origin as JSON."""
    return json.dumps({"origin": _origin(table, origin), "heads": rows(table, claims)}, indent=1) + "\n"


def to_npz(table: Heads, origin: Mapping[str, Any] | None = None) -> bytes:
    """Return all values as npz: MEASURE and random.MEASURE (head, picture), descriptions of heads and pictures, and the
    origin as JSON."""
    arrays: dict[str, Any] = {**table.values, "heads": [one.name for one in table.heads], "numbers": table.numbers}
    arrays |= {"predicted": table.predicted, "nearest": table.nearest}
    if table.labels is not None:
        arrays["labels"] = table.labels
    if table.random is not None:
        arrays |= {f"random.{name}": values for name, values in table.random.values.items()}
    arrays["origin"] = json.dumps(_origin(table, origin))
    content = io.BytesIO()
    np.savez(content, **arrays)
    return content.getvalue()


def to_html(table: Heads, claims: Sequence[Outcome] = (), origin: Mapping[str, Any] | None = None) -> str:
    """Return one HTML page with a table of all means, their intervals, and the claims."""
    head = "".join(f"<th title='{html.escape(one.about)}'>{html.escape(one.title)}</th>" for one in MEASURES.values())
    body = []
    means = {name: table.mean(name) for name in MEASURES}
    random = {name: table.random.mean(name) for name in MEASURES} if table.random else {}
    for at, one in enumerate(table.heads):
        cells = []
        for name, mean in means.items():
            beside = f"<small>random: {_said(random[name], at)}</small>" if random else ""
            cells.append(f"<td>{_said(mean, at)}{beside}</td>")
        body.append(f"<tr><th scope='row'>{one.name}</th>{''.join(cells)}</tr>")
    parts = [f"<table><thead><tr><th>Head</th>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"]
    for claim in claims:
        held = [f"<li>{one.name}: {_said(claim.holds, at)}" for at, one in enumerate(table.heads)]
        chance = [f"; another picture's object {_said(claim.other, at)}" for at in range(len(table.heads))]
        if claim.random is not None:
            chance = [f"{said}; random weights {_said(claim.random, at)}" for at, said in enumerate(chance)]
        lines = "".join(f"{one}{other}</li>" for one, other in zip(held, chance, strict=True))
        parts.append(f"<h2>{html.escape(claim.title)}</h2><p>{html.escape(claim.about)}</p><ul>{lines}</ul>")
    told = "".join(
        f"<dt>{html.escape(name)}</dt><dd>{html.escape(str(value))}</dd>"
        for name, value in _origin(table, origin).items()
    )
    return (
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>Heads over many pictures</title>"
        "<meta name='viewport' content='width=device-width'><style>:root{color-scheme:light dark}"
        "body{font:15px/1.4 sans-serif;margin:2em}div{overflow-x:auto}td,th{padding:4px 8px;text-align:right;"
        "border-bottom:1px solid #8888}small{display:block;opacity:.75}"
        "dt{float:left;clear:left;margin-right:1em}</style>"
        f"<h1>Heads over many pictures</h1><dl>{told}</dl><div>{''.join(parts)}</div></html>\n"
    )


def _ends(mean: Mean) -> dict[str, Any]:
    return {"": mean.value, " low": mean.low, " high": mean.high}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _said(mean: Mean, at: int) -> str:
    if math.isnan(mean.value[at]):
        return "&ndash;"
    return f"{mean.value[at]:.3g} ({mean.low[at]:.3g} to {mean.high[at]:.3g})"


def _origin(table: Heads, origin: Mapping[str, Any] | None) -> dict[str, Any]:
    return {**(origin or {}), "pictures": len(table.numbers), "intervals": METHOD}
