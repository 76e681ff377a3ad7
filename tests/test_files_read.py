"""Every file is read through attnviz/files.py, with a bound, never a pipe or a device; JSON is read so that it may be
nested too deeply; and so every file is written."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

READERS = {
    "fdopen", "FileIO", "read_text", "read_bytes", "write_text", "write_bytes", "mmap", "safe_open", "load_file",
    "save_file", "open_memmap", "memmap", "fromfile", "from_file", "loadtxt", "genfromtxt", "savez", "copy2",
    "copyfile", "copytree", "file_digest", "ZipFile", "GzipFile", "TarFile", "read_csv", "full_load", "unsafe_load",
    "run_path", "exec_module", "FileResponse", "StaticFiles", "getlines", "getsource", "imread", "read_image",
    "JournalFileBackend",
}  # fmt: skip
MODULES = {
    **dict.fromkeys(("np", "numpy", "torch", "pickle", "yaml", "tomllib"), {"load"}), "json": {"load", "loads"},
    "shutil": {"copy", "move"}, "sqlite3": {"connect"}, "io": {"open_code"},
}  # fmt: skip
"""What reads a file in each of these: words that are common elsewhere."""

OURS = {
    "attnviz/__main__.py open": "/dev/null",
    "attnviz/commands.py open": "a page in the browser",
    "attnviz/data/inputs/pictures.py open": "of bytes",
    "attnviz/data/brought.py ZipFile": "of bytes",
    "attnviz/data/brought.py open": "a member of a zip",
    "attnviz/data/own.py open_memmap": "of `files.regular`",
    "attnviz/data/samples/__init__.py open": "installed with attnviz",
    "attnviz/data/samples/__init__.py loads": "installed with attnviz",
    "attnviz/data/samples/__init__.py read_text": "installed with attnviz",
    "attnviz/data/store.py open": "in a folder that was made a moment before, and to sync a folder",
    "attnviz/data/store.py open_memmap": "of `files.regular`",
    "attnviz/data/samples/__main__.py write_text": "a checkout of whoever makes the samples",
    "attnviz/figures/history.py ZipFile": "of bytes, and of `files.opened`",
    "attnviz/figures/modules.py read_text": "installed with attnviz",
    "attnviz/figures/photo.py open": "of `files.opened`",
    "attnviz/head_table/claims.py run_path": "code that whoever starts the command names",
    "attnviz/head_table/export.py savez": "into bytes",
    "attnviz/head_table/kept.py load": "of `files.read`",
    "attnviz/head_table/kept.py savez": "into bytes",
    "attnviz/capture/places_kept.py loads": "with a digest",
    "attnviz/capture/places_kept.py read_bytes": "the code of a model that runs already",
    "attnviz/capture/loading.py exec_module": "a model that whoever starts the server names",
    "attnviz/capture/loading.py load_file": "weights that whoever starts the server names",
    "attnviz/lessons/front_matter.py load": "of a text",
    "attnviz/ui/components/__main__.py write_text": "a checkout of whoever changes a view",
    "attnviz/training/runs.py safe_open": "looked at first: a regular file, of which the notes are read",
    "attnviz/ui/lessons/bar.py read_text": "installed with attnviz",
    "attnviz/ui/lessons/tried.py from_file": "the app itself",
    "attnviz/ui/live/request.py loads": "too deep a message is no request there",
    "attnviz/ui/mechanisms/element_wise/view.py loads": "installed with attnviz",
    "attnviz/ui/mechanisms/element_wise/view.py read_text": "installed with attnviz",
    "attnviz/ui/server/descriptors.py open": "/dev/null",
    "attnviz/ui/server/head.py read_text": "installed with attnviz and Streamlit",
    "attnviz/ui/server/security.py read_text": "installed with Streamlit",
    "attnviz/ui/shared/glossary.py read_text": "installed with attnviz",
    "attnviz/views/payload.py loads": "too deep a header is no payload there",
    "attnviz/work/jobs/cost.py loads": "of a command of ours",
    "attnviz/work/jobs/keeping.py loads": "of a card that was checked",
    "attnviz/work/jobs/cluster.py open": "a URL; bounded where it is read",
    "attnviz/work/jobs/keeping.py write_bytes": "in a folder that was made a moment before",
    "attnviz/work/packing.py ZipFile": "of bytes",
    "attnviz/work/packing.py open": "a member of a zip",
    "attnviz/work/processes.py read_text": "/proc",
    "attnviz/work/remote.py open": "a URL; bounded where it is read",
    "attnviz/work/search/journal.py JournalFileBackend": "of `files.regular`",
    "attnviz/work/search/journal.py open": "of `files.regular`",
    "attnviz/work/search/trials.py read_bytes": "installed with attnviz",
    "pages/home.py read_bytes": "installed with attnviz",
}
"""What reads or writes by itself, and why it may: nobody else can put another file there, or it is looked at before."""


def reads(source: str) -> set[str]:
    """Return the names of what reads or writes files in some code, called there or handed on."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            found |= {"open"} & {getattr(node.func, "attr", ""), getattr(node.func, "id", "")}
        elif isinstance(node, ast.Attribute):
            of = node.value.id if isinstance(node.value, ast.Name) else ""
            found |= {node.attr} & (READERS | MODULES.get(of, set()))
        elif isinstance(node, ast.Name):
            found |= {node.id} & READERS
        elif isinstance(node, ast.ImportFrom):
            found |= {one.name for one in node.names} & MODULES.get(node.module or "", set())
    return found


def test_no_file_is_read_or_written_past_the_bounds() -> None:
    paths = [ROOT / "app.py", *(path for folder in ("attnviz", "pages") for path in (ROOT / folder).rglob("*.py"))]
    assert len(paths) > 300
    found = {
        f"{path.relative_to(ROOT).as_posix()} {name}"
        for path in paths
        if path != ROOT / "attnviz/files.py"
        for name in reads(path.read_text())
    }
    assert found - OURS.keys() == set()
    assert OURS.keys() - found == set()  # what need not be listed any more


@pytest.mark.parametrize(
    "code",
    ["open(p)", "p.open('a')", "p.read_text()", "safe_open(p, 'np')", "np.load(p)", "zipfile.ZipFile(p)",
     "json.load(f)", "np.lib.format.open_memmap(p)", "map(Path.read_bytes, p)", "from json import load",
     "shutil.copy(p, q)", "sqlite3.connect(p)", "json.loads(text)"],
)  # fmt: skip
def test_what_reads_is_found(code: str) -> None:
    assert reads(code)
    assert not reads("files.from_json(files.read(p, 9)); cards.load(p); yaml.safe_load(text); copy.copy(p)")
