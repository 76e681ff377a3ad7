"""Finds the components of other packages through their mechanisms' rows.

Streamlit searches for components only in packages whose name, summary or requirements contain "streamlit", and there
only in a `pyproject.toml` inside the package's folder, which a wheel lacks unless its author includes it (1.67). A row
of `MECHANISMS` names its components and the folder of their modules, so a package needs neither.

This can be removed when Streamlit has a public way to declare a component's folder.
"""

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from streamlit.components.v2 import manifest_scanner
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from attnviz.ui.components.component import full_name
from attnviz.ui.mechanisms import Mechanism

Manifests = list[tuple[ComponentManifest, Path]]

_log = logging.getLogger(__name__)


def declare(rows: Iterable[Mechanism], scanner: Any = manifest_scanner) -> None:
    """Let Streamlit find the components named by rows of other packages; call this before its runtime is made."""
    scan: Callable[..., Manifests] = getattr(
        scanner.scan_component_manifests, "plain", scanner.scan_component_manifests
    )

    def scan_with_rows(*given: Any, **named: Any) -> Manifests:
        found = scan(*given, **named)
        return found + of_rows(rows, {f"{one.name}.{part.name}" for one, _ in found for part in one.components})

    scan_with_rows.plain = scan  # type: ignore[attr-defined]
    scanner.scan_component_manifests = scan_with_rows


def of_rows(rows: Iterable[Mechanism], known: Iterable[str] = ()) -> Manifests:
    """Return the manifests that Streamlit would have read from the packages' own tables, for each component that is not
    declared already, as ours are in `pyproject.toml`.
    """
    found: Manifests = []
    named = set(known)
    for row in rows:
        for full in map(full_name, (*row.components, *row.preload)):
            package, _, name = full.partition(".")
            if package == "attnviz" or full in named:
                continue
            if not row.frontend.is_dir():
                _log.error("The components of the mechanism %s are not there: no folder %s.", row.name, row.frontend)
                break
            named.add(full)
            manifest = ComponentManifest(package, "", [ComponentConfig(name, row.frontend.name)])
            found.append((manifest, row.frontend.parent))
    return found
