"""The documents in docs/: the glossary can be read by a program, and what the others link to is there."""

import re
from pathlib import Path

import pytest

import attnviz

DOCS = Path(__file__).parents[1] / "docs"
GLOSSARY = (DOCS / "glossary.md").read_text()
ENTRIES = re.findall(r"^## (.+)\n(.+(?:\n.+)*)", GLOSSARY, re.MULTILINE)


def first_sentence(text: str) -> str:
    """Return what a page shows under the pointer."""
    return re.split(r"(?<=\.) ", " ".join(text.split()))[0]


def test_every_heading_has_an_entry_of_its_own_in_alphabetical_order() -> None:
    terms = [term for term, _ in ENTRIES]
    assert len(terms) == GLOSSARY.count("\n## ") > 50
    assert terms == sorted(terms, key=str.lower)
    assert len(set(terms)) == len(terms)


@pytest.mark.parametrize(("term", "text"), ENTRIES, ids=[term for term, _ in ENTRIES])
def test_the_first_sentence_is_short_and_whole(term: str, text: str) -> None:
    sentence = first_sentence(text)
    assert re.fullmatch(r"[A-Z].{20,160}\.", sentence), sentence


@pytest.mark.parametrize("term", ["Attention head", "Query", "Key", "Value", "Score", "Softmax", "Weight", "Logit",
                                  "Even share", "Tap", "Tap path", "Edit", "Model card", "Panel", "Derived value",
                                  "Recipe", "Probe", "Evaluation", "Ablation", "Glimpse", "Relevance map",
                                  "Jacobian"])  # fmt: skip
def test_the_terms_that_pages_use_are_explained(term: str) -> None:
    assert term in dict(ENTRIES)


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_everything_that_a_document_links_to_is_there(path: Path) -> None:
    for link in re.findall(r"\]\((?!http)([^)#]+)", path.read_text()):
        assert (path.parent / link).exists(), link


def test_the_page_of_environment_variables_names_each_that_the_code_reads_and_no_other() -> None:
    code = "\n".join(path.read_text() for path in (DOCS.parent / "attnviz").rglob("*.py"))
    ours = {"ATTNVIZ_ONE_THREAD"}  # set and read by attnviz alone
    named = re.findall(r"^\| `(ATTNVIZ_\w+)` \|", (DOCS / "environment.md").read_text(), re.MULTILINE)
    assert sorted(named) == sorted(set(re.findall(r"[\"'](ATTNVIZ_\w+)[\"']", code)) - ours)


def test_the_page_of_mechanisms_names_each_group_of_entry_points() -> None:
    code = "\n".join(path.read_text() for path in (DOCS.parent / "attnviz").rglob("*.py"))
    groups = re.findall(r"^[A-Z]+(?:: Table\[.+\])? = Table\(\s*\"(\w+)\"", code, re.MULTILINE)
    named = re.findall(r"^\| `attnviz\.(\w+)` \|", (DOCS / "mechanism.md").read_text(), re.MULTILINE)
    assert sorted(named) == sorted(set(groups))


def test_the_page_of_versions_names_the_oldest_of_each_package() -> None:
    pins = (DOCS.parent / "constraints" / "oldest.txt").read_text()
    told = re.findall(r"^\| ([\w-]+)(?: \(`\w+`\))? \| ([\d.]+) \|", (DOCS / "versions.md").read_text(), re.MULTILINE)
    assert dict(told) == dict(re.findall(r"^([\w-]+)==(.+)$", pins, re.MULTILINE))


def test_the_site_has_every_document() -> None:
    listed = re.findall(r": (\w+\.md)$", (DOCS.parent / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(path.name for path in DOCS.glob("*.md"))


def test_the_reference_has_every_public_name() -> None:
    listed = re.findall(r"^::: attnviz\.(?:\w+\.)*(\w+)$", (DOCS / "reference.md").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(attnviz.__all__)


@pytest.mark.parametrize("name", ["heads", "library"])
def test_the_code_of_a_page_runs(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    code = "\n\n".join(re.findall(r"```python\n(.*?)```", (DOCS / f"{name}.md").read_text(), re.DOTALL))
    exec(compile(code, f"{name}.md", "exec"), {})
    said = capsys.readouterr().out
    assert {"heads": "1.1: ", "library": "('batch', 'head', 'query', 'key') (1, 4, 50, 50)"}[name] in said
