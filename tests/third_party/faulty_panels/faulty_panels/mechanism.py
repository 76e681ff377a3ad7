"""The row of a third party that breaks the panels of mechanisms that are there."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from attnviz.subjects import Net
from attnviz.ui.components.panel import Panel
from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.mechanisms.mechanism import Mechanism

from . import FAULTS

HERE = Path(__file__).parent


def broken(panel: Callable[[Net], Panel]) -> Callable[[Net], Panel]:
    """Return what gives the panels of a mechanism with their faults."""
    return lambda net: replace(panel(net), **FAULTS.get(net.key, {}))


for name, row in [*MECHANISMS.items()]:
    MECHANISMS[name] = replace(row, panel=broken(row.panel))

MECHANISM = Mechanism(
    name="faulty_panels",
    title="Faulty panels",
    question="What if something is wrong?",
    page=str(HERE / "no_page.py"),
    url="faulty_panels",
    models=(),
    panel=lambda net: Panel("", "", "ink", ""),
    preload=("faulty_panels.panels",),
    frontend=HERE / "frontend",
)
