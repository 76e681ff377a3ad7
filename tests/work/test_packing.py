"""Several files as one, attnviz/work/packing.py."""

import io
import warnings
import zipfile

import pytest

from attnviz.errors import BadInput
from attnviz.work import packing

FILES = {"b": b"two", "a": b"one"}


def test_what_was_packed_is_there_again():
    content = packing.packed(FILES)
    assert content == packing.packed(FILES)
    assert packing.names(content, 1000) == ["a", "b"]
    assert packing.members(content, ["a"], 1000) == {"a": b"one"}


def test_a_damaged_file_is_one_sentence():
    content = packing.packed(FILES)
    with pytest.raises(BadInput, match="is damaged"):
        packing.members(content.replace(b"one", b"two"), ["a"], 1000)
    with pytest.raises(BadInput, match="is damaged"):
        packing.names(content[:-9], 1000)


def test_too_many_bytes_or_files_are_refused_unread():
    content = packing.packed(FILES)
    with pytest.raises(BadInput, match="at most"):
        packing.names(content, len(content) - 1)
    with pytest.raises(BadInput, match="at most 2,000 files"):
        packing.names(packing.packed({str(number): b"" for number in range(2001)}), 10**6)


def test_two_files_of_one_name_are_refused():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("a", b"one")
        archive.writestr("a", b"two")
    with pytest.raises(BadInput, match="unique names"):
        packing.names(content.getvalue(), 1000)
