"""Writing and reading files, attnviz/files.py."""

import errno
import os
from pathlib import Path

import pytest

from attnviz import files


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_what_is_written_is_read_again_and_nothing_else_lies_beside_it(tmp_path):
    files.write(tmp_path / "a", b"\x00\xff")
    files.write(tmp_path / "b", "ä\n")
    assert (tmp_path / "a").read_bytes() == b"\x00\xff"
    assert (tmp_path / "b").read_bytes() == "ä\n".encode()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


@pytest.mark.parametrize("step", [(os, "fsync"), (Path, "replace"), (Path, "open")], ids=lambda step: step[1])
def test_a_failure_at_any_step_leaves_the_old_content_and_no_litter(tmp_path, monkeypatch, step):
    path = tmp_path / "a"
    files.write(path, "old")
    with monkeypatch.context() as patch:
        patch.setattr(*step, full)
        with pytest.raises(OSError, match="No space left"):
            files.write(path, "new")
    assert path.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_the_content_is_synced_before_it_gets_its_name_and_the_name_afterwards(tmp_path, monkeypatch):
    told = []
    sync, replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda descriptor: (told.append("sync"), sync(descriptor))[1])
    monkeypatch.setattr(Path, "replace", lambda path, to: (told.append("rename"), replace(path, to))[1])
    files.write(tmp_path / "a", "new")
    assert told == ["sync", "rename", "sync"]


def test_where_folders_cannot_be_opened_syncing_one_is_passed_over(tmp_path, monkeypatch):
    def refused(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refused)
    assert files.sync(tmp_path) is None
    monkeypatch.undo()
    with pytest.raises(FileNotFoundError):
        files.sync(tmp_path / "missing")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "no space left on device"),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), "permission denied"),
        (OSError("Odd"), "odd"),
        (TimeoutError(), "timeouterror"),
    ],
)
def test_why_a_file_could_not_be_written_is_said_in_words(error, words):
    assert files.reason(error) == words


def test_a_file_is_read_whole_and_so_is_what_a_link_names(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert files.read(tmp_path / "a", 5) == files.read(tmp_path / "b", 5) == b"12345"


def test_a_file_that_is_larger_than_expected_is_not_read(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    with pytest.raises(OSError, match="it has 5 bytes, and at most 4 are expected"):
        files.read(tmp_path / "a", 4)


def test_a_device_a_pipe_and_a_folder_are_not_read(tmp_path):
    (tmp_path / "zero").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    for name in ("zero", "pipe"):
        with pytest.raises(OSError, match="it is not a regular file"):
            files.read(tmp_path / name, 10)
    with pytest.raises(IsADirectoryError):
        files.read(tmp_path, 10)


def test_the_end_of_a_file_is_read_however_long_it_is(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 100_000 + b"end")
    assert files.end(tmp_path / "a", 4) == b"xend"
    assert files.end(tmp_path / "a", 2**20) == (tmp_path / "a").read_bytes()


@pytest.mark.parametrize(("mode", "then"), [("wb", b"new"), ("ab", b"old and new")])
def test_a_file_is_written_anew_or_on(tmp_path, mode, then):
    for content in (b"old and ", b"new"):
        with files.opened(tmp_path / "a", mode) as file:
            file.write(content)
    assert (tmp_path / "a").read_bytes() == then[-len(then) :] if mode == "ab" else b"new"
    with files.opened(tmp_path / "a") as file:
        assert file.read()


def odd(tmp_path: Path) -> list[Path]:
    """Return what is no file, and a link to it: a pipe, a device, a folder."""
    os.mkfifo(tmp_path / "pipe")
    for name, place in (("to a pipe", tmp_path / "pipe"), ("zeros", "/dev/zero"), ("full", "/dev/full")):
        (tmp_path / name).symlink_to(place)
    (tmp_path / "folder").mkdir()
    return list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes that have names")
def test_a_pipe_or_a_device_is_never_waited_for_read_or_written(tmp_path):
    uses = (
        lambda path: files.read(path, 2**20),
        lambda path: files.end(path, 2**20),
        lambda path: files.regular(path, 2**20),
        lambda path: files.opened(path, "ab"),
        lambda path: files.opened(path, "wb"),
    )
    for path in odd(tmp_path):
        for use in uses:
            with pytest.raises(OSError):  # noqa: PT011 (each system has words of its own for some)
                use(path)


def test_the_path_of_a_file_is_handed_on_if_it_is_one_of_bounded_size(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    assert files.regular(tmp_path / "a", 5) == tmp_path / "a"
    with pytest.raises(OSError, match="at most 4"):
        files.regular(tmp_path / "a", 4)


def test_what_was_read_is_remembered_until_a_file_changes_or_there_are_too_many_bytes(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "abc"]
    for path in paths:
        path.write_text("1234")
        os.utime(path, ns=(10**18, 10**18))
    calls: list[str] = []
    remembered = files.Remembered[int](8)

    def read(path: Path) -> int:
        return remembered.get(path, (files.stamp(path),), lambda: len(calls.append(path.name) or path.read_text()))

    assert [read(path) for path in (paths[0], paths[1], paths[0], paths[2])] == [4] * 4
    assert calls == ["a", "b", "c"]
    assert remembered.known(paths[0], (files.stamp(paths[0]),)) is None  # the one that was read longest ago
    assert remembered.known(paths[2], (files.stamp(paths[2]),)) == 4
    paths[2].write_text("12345")
    assert [read(paths[2]), read(paths[2])] == [5, 5]
    assert calls == ["a", "b", "c", "c", "c"]  # it was written a moment ago, and could be again within the same tick
