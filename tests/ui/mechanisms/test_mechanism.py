"""A row of the table names functions, whose modules are imported when they are first called."""

import subprocess
import sys
from pathlib import Path

import pytest

from attnviz.ui.mechanisms.mechanism import later


def test_a_module_is_imported_when_its_function_is_first_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "late_module.py").write_text("def twice(number):\n    return 2 * number\n")
    monkeypatch.syspath_prepend(tmp_path)
    function = later("late_module", "twice")
    assert "late_module" not in sys.modules
    assert function(21) == 42
    assert "late_module" in sys.modules


def test_the_table_costs_neither_torch_nor_streamlit_nor_what_is_in_the_folders() -> None:
    code = (
        "from attnviz.ui.mechanisms import MECHANISMS; import sys; list(MECHANISMS); "
        "assert not {'torch', 'streamlit'} & set(sys.modules); "
        "assert not [name for name in sys.modules if name.endswith(('.home', '.panels', '.derived'))]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
