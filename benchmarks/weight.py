"""What is there to read? Lines of Python by kind, files, the largest, and what stands twice.

python -m benchmarks.weight            # of this checkout
python -m benchmarks.weight FOLDER     # of another one
"""

import argparse
import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LONGEST = 350  # lines of a file

Blocks = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def docstrings(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.Expr]]:
    """Yield each docstring with what it describes; also one below an attribute."""
    for node in ast.walk(tree):
        if isinstance(node, Blocks):
            for one in node.body:
                if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and type(one.value.value) is str:
                    yield node, one


def lines_of(*nodes: ast.stmt) -> set[int]:
    """Return the numbers of the lines on which statements stand."""
    return {line for node in nodes for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}


def weigh(root: Path) -> dict[str, int | str]:
    """Return what there is to read in app.py, pages/ and attnviz/: what is counted -> how many."""
    kinds: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    longer, sizes = 0, {}
    for path in sorted([root / "app.py", *(root / "pages").rglob("*.py"), *(root / "attnviz").rglob("*.py")]):
        lines = path.read_text("utf-8").splitlines()
        tree = ast.parse("\n".join(lines))
        described = [*docstrings(tree)]
        said = lines_of(*(one for _, one in described))
        imported = lines_of(*(one for one in ast.walk(tree) if isinstance(one, ast.Import | ast.ImportFrom)))
        for number, line in enumerate(lines, 1):
            bare = line.strip()
            kind = "imports" if number in imported else "comments" if bare.startswith("#") else "code"
            kinds["docstrings" if number in said else kind if bare else "blank"] += 1
        for node, one in described:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and one is node.body[0]:
                rest = (node.end_lineno or 0) - (one.end_lineno or 0)
                longer += 0 < rest <= len(lines_of(one))
        classes.update({node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)})
        sizes[path.relative_to(root).as_posix()] = len(lines)
    largest = max(sizes, key=sizes.__getitem__)
    return {
        "lines": kinds.total(), **dict(sorted(kinds.items())), "files": len(sizes),
        f"files of more than {LONGEST} lines": sum(size > LONGEST for size in sizes.values()),
        "largest": f"{largest}, {sizes[largest]}",
        "functions whose docstring is at least as long as their code": longer,
        "names of classes in more than one file": sum(count > 1 for count in classes.values()),
    }  # fmt: skip


def main() -> None:
    """Weigh a checkout and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parents[1])
    print("\n| | |\n| --- | --- |")
    for what, count in weigh(parser.parse_args().folder).items():
        print(f"| {what} | {f'{count:,}' if isinstance(count, int) else count} |")


if __name__ == "__main__":
    main()
