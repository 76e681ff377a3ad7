"""What the architecture promises, counted in the code: nothing but data, recipes, models and a mechanism's own files
assumes the size of its pictures or names it."""

import io
import re
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OWN = (  # of pixel attention, and of those who make pictures, recipes and models
    *("attnviz/data/", "attnviz/recipes/", "attnviz/models/"),
    *("attnviz/ui/mechanisms/pixel_attention/", "pages/10_pixel_attention.py", "pages/15_paper.py"),
    "attnviz/ui/shared/first_look.py",
)
COMMENTS = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)


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


def lines() -> Iterator[tuple[str, str]]:
    """Yield every line of code outside those files, with its place."""
    files = [ROOT / "app.py", *(ROOT / "pages").rglob("*.py")]
    files += [path for kind in ("py", "js", "css") for path in (ROOT / "attnviz").rglob(f"*.{kind}")]
    for path in sorted(files):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(OWN):
            for number, line in enumerate(code(path.read_text("utf-8"), path.suffix), 1):
                yield f"{name}:{number}", line


@pytest.mark.parametrize(
    ("pattern", "most"), [(r"(?<![\w.])28(?!\w|\.\d)", 6), ("pixel_attention", 4)], ids=["28", "pixel_attention"]
)
def test_pictures_of_28_pixels_and_pixel_attention_are_named_hardly_anywhere(pattern: str, most: int) -> None:
    found = [f"{place}: {line.strip()}" for place, line in lines() if re.search(pattern, line)]
    assert len(found) <= most, "\n".join(["", *found])


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
