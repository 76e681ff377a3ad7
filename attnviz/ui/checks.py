"""Checks of a mechanism's row and of the values it provides, run by `attnviz.testing.check_mechanism`."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from attnviz import cards, data, paths, subjects
from attnviz.models import MODELS
from attnviz.recipes import PAPERS
from attnviz.subjects import Net, Subject
from attnviz.ui import derived_values
from attnviz.ui.components.component import full_name, module_of
from attnviz.ui.components.panel import MAP, Panel
from attnviz.ui.live import answer, request
from attnviz.ui.live.derived import Derived, View
from attnviz.ui.mechanisms import MECHANISMS, Mechanism
from attnviz.views.payload import pack, unpack


def check(row: Mechanism, nets: Sequence[Net | str] | None, seed: int) -> None:
    """Check a row; see `attnviz.testing.check_mechanism`."""
    _check_names(row)
    _check_files(row)
    own = _own_values(row)
    found = [subjects.net(one) if isinstance(one, str) else one for one in (_nets(row) if nets is None else nets)]
    assert found, f"There is no net to check {row.name} with: train a model of {', '.join(row.models)}, or give nets."
    for net in found:
        _check_panel(row, net, seed)
        for view in own:
            if isinstance(view, View):
                _check_view(view, net)


def _nets(row: Mechanism) -> list[Net | str]:
    return [name for name in cards.names() if cards.read(name).recipe.model in row.models]


def _check_names(row: Mechanism) -> None:
    assert re.fullmatch(r"[a-z0-9_]+", row.url), f"The URL {row.url!r} needs other characters than a-z, 0-9 and _."
    assert row.question.endswith("?"), f"The question {row.question!r} does not end with a question mark."
    for kind, names, table in (("model", row.models + row.controls, MODELS), ("paper", row.papers, PAPERS)):
        for name in names:
            assert name in table, f"{row.name} names the {kind} {name}, and no table has it."


def _check_files(row: Mechanism) -> None:
    for page in (row.page, *(one.page for one in row.further)):
        assert (paths.shipped("pages") / page).is_file(), f"The page {page} is not there."
    named = [full_name(name) for name in (*row.components, *row.preload)]
    assert not named or row.frontend.is_dir(), f"The folder of modules {row.frontend} is not there."
    for name in map(full_name, row.preload):
        _there(row.frontend, f"{module_of(name.partition('.')[2], row.frontend)}.js")
    if row.home is not None:
        assert row.home.file.is_file(), f"The picture {row.home.file} of the home page is not there."


def _there(folder: Path, file: str) -> None:
    assert (folder / file).is_file(), f"The module {file} is not in {folder}."


def _own_values(row: Mechanism) -> tuple[Derived[Any] | View[Any], ...]:
    own = row.derived()
    names = [one.name for one in own]
    assert len(set(names)) == len(names), f"Two derived values of {row.name} have one name: {sorted(names)}."
    others = {one.name for other in MECHANISMS.values() if other.name != row.name for one in other.derived()}
    taken = sorted({*names} & (others | {one.name for one in derived_values.OF_ANY_NET}))
    assert not taken, f"Derived values of others have the names {taken}; give those of {row.name} other ones."
    return own


def _check_panel(row: Mechanism, net: Net, seed: int) -> None:
    panel = row.panel(net)
    assert isinstance(panel, Panel), f"The panel of {net.key} is {type(panel).__name__}, not Panel."
    assert panel.title, f"The panel of {net.key} has no title."
    component, _, file = panel.renderer.partition("/")
    if "." in component:
        assert component in row.components, f"{row.name} does not name the component {component} of its renderer."
        _there(row.frontend, file)
    if not panel.wanted:
        return
    wanted = dict(panel.wanted)
    if panel.heads:
        wanted["parameters"] = {**wanted.get("parameters", {}), "head": 0}
    shape = net.input.rows, net.input.columns, net.input.channels
    picture = np.random.default_rng(seed).integers(0, 256, shape, np.uint8)
    asked = {"number": 1, "asks": [{"checkpoint": net.key, "seed": seed, "wanted": {MAP: wanted}}]}
    read = request.read(pack(asked, {"pictures": picture}), derived_values.find)
    for payload in answer.plan(read)[0].answers():
        header, arrays = unpack(payload)
        found = {name: values for name, values in arrays.items() if name.split(".")[0] == MAP}
        assert found, f"The answer for the panel of {net.key} has nothing that it draws."
        for name, values in found.items():
            assert values.size and np.isfinite(values).all(), f"What the panel of {net.key} draws is not finite."
            axes = header["axes"][name]
            assert len(axes) == values.ndim, (
                f"What the panel of {net.key} draws has the axes {axes} and {values.shape}."
            )


def _check_view(view: View[Any], net: Net) -> None:
    try:
        view.parameters()
    except ValidationError:  # only its page knows which parameters are possible
        return
    if net.data is None or not data.available(net.data):
        return
    try:
        payload = view.of(Subject(net, subjects.example(net.data)))
    except ValidationError:
        return
    header, arrays = unpack(payload)
    assert header or arrays, f"The view {view.name} of {net.key} is empty."
