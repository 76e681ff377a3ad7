"""`attnviz heads MODEL PICTURES`: the table of heads on the command line."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from attnviz import files
from attnviz.errors import BadInput
from attnviz.head_table import export
from attnviz.head_table.claims import CLAIMS, ClaimWork, claim_of
from attnviz.head_table.door import loaded, with_random_weights
from attnviz.head_table.table import MEASURES, UNTESTED, Head, Mean
from attnviz.head_table.work import Work
from attnviz.subjects import kinds


def run(options: argparse.Namespace) -> str:
    """Measure the heads, write the requested files, and return the text to print."""
    from tqdm import tqdm

    claims = {**CLAIMS, **dict(claim_of(word) for word in options.claim)}
    net = kinds.net(options.model)
    model, images, labels, mask = loaded(net, options.pictures, options.count, None, None, False)
    models = [model] if options.no_random else [model, with_random_weights(model)]
    works = [Work(one, images, mask) for one in models]
    tests = [ClaimWork(one, images, mask, claims) for one in models]
    total, hidden = 2 * len(models) * works[0].count, options.quiet or None  # None: visible on a terminal
    with tqdm(total=total, desc="Heads", unit=" parts", delay=2, leave=False, disable=hidden) as bar:
        parts = [work.all(lambda *_: bar.update()) for work in (*works, *tests)]
    tables = [work.table(some, labels) for work, some in zip(works, parts, strict=False)]
    table = tables[0] if options.no_random else replace(tables[0], random=tables[1])
    tested = tests[0].tested(parts[len(models)], None if options.no_random else parts[-1])
    origin = {"model": net.key, "weights": net.digest, "data": options.pictures}
    in_place = options.json is not None and str(options.json) == "-"
    for path, content in (
        (options.csv, lambda: export.to_csv(table, tested, origin)),
        (None if in_place else options.json, lambda: export.to_json(table, tested, origin)),
        (options.npz, lambda: export.to_npz(table, origin)),
        (options.html, lambda: export.to_html(table, tested, origin)),
    ):
        if path is not None:
            _write(path, content())
    if in_place:
        return export.to_json(table, tested, origin).rstrip()
    lines = [f"{len(table.heads)} heads of {net.key}, {len(table.numbers)} pictures of {options.pictures}."]
    for name, one in MEASURES.items():
        if said := _said(table.heads, table.mean(name), ".3g"):
            lines.append(f"{one.title}: {said}")
    for claim in tested:
        lines.append(f"{claim.title}: {_said(table.heads, claim.holds, '.0%') or UNTESTED}")
    lines += [f"Left out: {path}, as {reason}." for path, reason in table.left_out.items()]
    return "\n".join(lines)


def _said(heads: Sequence[Head], mean: Mean, form: str) -> str:
    """Return the figure of each head that has one."""
    figures = zip(heads, mean.value, mean.pictures, strict=True)
    return "  ".join(f"{head.name} {value:{form}}" for head, value, pictures in figures if pictures)


def _write(path: Path, content: str | bytes) -> None:
    try:
        files.write(path, content)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {files.reason(error)}.") from error
