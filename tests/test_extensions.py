"""Rows that other packages add to our tables."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from attnviz.extensions import Table

ROW = "ROW = {'title': 'of another package'}"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay an installed package with entry points into a folder where Python looks for packages."""
    (tmp_path / "another_package.py").write_text(ROW)
    home = tmp_path / "another_package-1.0.dist-info"
    home.mkdir()
    (home / "METADATA").write_text("Metadata-Version: 2.1\nName: another-package\nVersion: 1.0\n")
    points = ["b = another_package:ROW", "a = another_package", "broken = another_package:MISSING"]
    (home / "entry_points.txt").write_text("[attnviz.things]\n" + "\n".join(points) + "\n")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_the_rows_of_other_packages_come_last_and_one_that_is_broken_is_named(
    installed: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table: Table[Any] = Table("things", {"ours": "a row"})
    assert list(table) == ["ours", "a", "b"]
    assert len(table) == 3
    assert table["b"] == {"title": "of another package"} == table["a"].ROW
    assert "broken = another_package:MISSING of attnviz.things cannot be loaded" in caplog.text


def test_rows_are_read_when_they_are_first_needed(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "another_package", raising=False)
    table = Table("things", {"ours": "a row"})
    assert table["ours"] == "a row"
    assert "another_package" not in sys.modules
    assert "b" in table
    assert "another_package" in sys.modules


def test_a_row_may_look_into_its_own_table_and_cannot_take_a_name(installed: Path) -> None:
    table = Table("things", {"b": "ours"}, lambda name, row: {name: sorted(table)})
    assert table["a"] == ["b"]
    assert table["b"] == "ours"


def test_another_thread_waits_until_the_table_is_whole(installed: Path) -> None:
    begun, go_on = Event(), Event()

    def read(name: str, row: object) -> dict[str, object]:
        begun.set()
        assert go_on.wait(10)
        return {name: row}

    table = Table("things", {}, read)
    with ThreadPoolExecutor() as threads:
        first = threads.submit(list, table)
        assert begun.wait(10)
        second = threads.submit(len, table)
        go_on.set()
        assert first.result(10) == ["a", "b"]
        assert second.result(10) == 2


def test_a_table_to_which_nobody_adds() -> None:
    assert list(Table("nothing", {})) == []
    with pytest.raises(KeyError):
        Table("nothing", {})["a"]


def test_a_mechanism_of_another_package_is_in_the_table(installed: Path) -> None:
    (installed / "another_package.py").write_text(
        "from attnviz.ui.mechanisms.mechanism import Mechanism\n"
        "MECHANISM = Mechanism(name='another', title='Another', question='Why?', page='/a/page.py', url='another', "
        "models=('other',), panel=print)\n"
    )
    points = installed / "another_package-1.0.dist-info" / "entry_points.txt"
    points.write_text("[attnviz.mechanisms]\nanother = another_package:MECHANISM\n")
    code = (
        f"import sys; sys.path.insert(0, {str(installed)!r}); from attnviz.ui import mechanisms; "
        "assert list(mechanisms.MECHANISMS)[-1] == 'another'; "
        "assert mechanisms.of_model('other').title == 'Another'; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
