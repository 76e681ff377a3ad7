"""What the architecture promises, counted in the code: nothing but data, recipes, models and a mechanism's own files
assumes the size of its pictures or names a mechanism."""

import io
import re
import tokenize
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from attnviz.ui.mechanisms import MECHANISMS
from attnviz.ui.mechanisms.mechanism import Mechanism

ROOT = Path(__file__).parents[1]
MAKERS = ("attnviz/data/", "attnviz/recipes/", "attnviz/models/", "attnviz/layers/")  # of pictures and of models
COMMENTS = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)


@cache
def code(text: str, kind: str) -> list[str]:
    """Return the lines of a file without comments and docstrings."""
    if kind != ".py":
        return COMMENTS.sub(lambda found: "\n" * found[0].count("\n"), text).splitlines()
    lines = text.splitlines()
    first = tokenize.INDENT  # what comes before a docstring: the beginning of a file, or of a block
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
        if token.type == tokenize.STRING and first in (tokenize.INDENT, tokenize.NEWLINE) and '"""' in token.string:
            for row in range(token.start[0], token.end[0] + 1):
                lines[row - 1] = ""
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            first = token.type
    return lines


def own(mechanism: Mechanism) -> tuple[str, ...]:
    """Return how the names of a mechanism's own files begin: its folder, its pages, and what it alone measures."""
    pages = [f"pages/{page}" for page in (mechanism.page, *(further.page for further in mechanism.further))]
    return (f"attnviz/ui/mechanisms/{mechanism.name}/", f"attnviz/measures/{mechanism.name}/", *pages)


def lines(without: tuple[str, ...] = (), *, makers: bool = False) -> Iterator[tuple[str, str]]:
    """Yield every line of code with its place, but not of files whose names begin so, and of the makers if wanted."""
    files = [ROOT / "app.py", *(ROOT / "pages").rglob("*.py")]
    files += [path for kind in ("py", "js", "css") for path in (ROOT / "attnviz").rglob(f"*.{kind}")]
    for path in sorted(files):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(without if makers else (*MAKERS, *without)):
            for number, line in enumerate(code(path.read_text("utf-8"), path.suffix), 1):
                yield f"{name}:{number}", line


def named(pattern: str, without: tuple[str, ...]) -> list[str]:
    """Return the lines of code in which a pattern stands, each after its place, but not of those files."""
    return [f"{place}: {line.strip()}" for place, line in lines(without) if re.search(pattern, line)]


def test_pictures_of_28_pixels_are_assumed_hardly_anywhere() -> None:
    found = named(r"(?<![\w.])28(?!\w|\.\d)", own(MECHANISMS["pixel_attention"]))
    assert len(found) <= 6, "\n".join(["", *found])


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=lambda row: row.name)
def test_a_mechanism_is_named_in_its_own_files_and_in_the_table_alone(mechanism: Mechanism) -> None:
    pages = ("pages/00_explorer.py", "pages/05_draw.py")  # the model that is shown first; what is erased from a drawing
    found = named(rf"\b{mechanism.name}\b", (*own(mechanism), *pages))
    assert {line.partition(":")[0] for line in found} == {"attnviz/ui/mechanisms/__init__.py"}, "\n".join(["", *found])


def test_no_file_of_the_front_end_bears_the_name_of_a_mechanism() -> None:
    names = [path.name for path in (ROOT / "attnviz" / "ui" / "frontend").rglob("*")]
    assert [name for name in names if any(mechanism in name for mechanism in MECHANISMS)] == []


@pytest.mark.parametrize(
    ("kind", "text", "kept"),
    [
        (".py", '"""Of 28."""\n\nx = 28  # not 28\nSAID = "28 pixels"\n"""28"""\n', ["x = 28", 'SAID = "28 pixels"']),
        (".py", 'def f():\n    """28\n    28"""\n    return f"""{28}"""\n', ["def f():", 'return f"""{28}"""']),
        (".js", '// 28\nconst a = 28; // 28\n/** 28\n * 28 */\nconst b = "http://28";\n', ["const a = 28;", 'const b = "http://28";']),
    ],
)  # fmt: skip
def test_comments_and_docstrings_are_no_code(kind: str, text: str, kept: list[str]) -> None:
    assert [line.strip() for line in code(text, kind) if line.strip()] == kept


def test_lines_of_code_are_found_in_every_kind_of_file() -> None:
    names = {place.partition(":")[0] for place, line in lines() if line.strip()}
    ends: Callable[[str], bool] = lambda kind: any(name.endswith(kind) for name in names)  # noqa: E731
    assert ends(".py") and ends(".js") and ends(".css") and "app.py" in names


LONGEST = 350  # lines of a file


def test_no_file_is_long() -> None:
    frontend = ROOT / "attnviz" / "ui" / "frontend"
    files = [
        ROOT / "app.py",
        *(ROOT / "pages").rglob("*.py"),
        *(ROOT / "attnviz").rglob("*.py"),
        *frontend.rglob("*.js"),
    ]
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in files}
    assert len(lengths) > 500
    assert [str(path.relative_to(ROOT)) for path in files if lengths[path] > LONGEST] == []
