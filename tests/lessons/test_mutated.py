"""500 mutated lessons: each is read, or each of its mistakes is one sentence with file and line; never a traceback."""

import random
import re

from attnviz.lessons.folder import ours
from attnviz.lessons.reader import read
from attnviz.ui.lessons.shelf import known

COUNT = 500
LINES = r"""
---
:::
::::{view} x
:::{view}
:::{include} /etc/passwd
:check: is
minutes: 1e999
title: {a: {b: c}}
&a [*a]
!!python/object:os.system x
2026-99-99
- [ ]
##
`
{shown}`
{include}`/etc/passwd`
<a.b>
$
$$
[a](//b)
![](file:///etc/passwd)
<script>
http://[::1
?a=%zz&&
?
%
"""
PIECES = [*LINES.splitlines(), "\n", "\r", "\t", "\x00", "\u202e", "> " * 30, "[" * 60, "*" * 40]
SENTENCE = re.compile(r"[\w.-]+\.md:\d+: \S[^\n]*[.:)?\w}!'\"]")


def mutated(text: str, random_: random.Random) -> str:
    """Return a text with one to eight changes: something cut, doubled, moved, inserted or exchanged."""
    for _ in range(random_.randint(1, 8)):
        start = random_.randrange(len(text) + 1)
        end = min(len(text), start + random_.choice((1, 3, 20, 200)))
        match random_.randrange(5):
            case 0:
                text = text[:start] + text[end:]
            case 1:
                text = text[:end] + text[start:]
            case 2:
                text = text[:start] + random_.choice(("", "\n")) + random_.choice(PIECES) + text[start:]
            case 3:
                text = text[:start] + "".join(random_.sample(text[start:end], end - start)) + text[end:]
            case 4:
                lines = text.split("\n")
                random_.shuffle(lines) if random_.random() < 0.1 else lines.pop(random_.randrange(len(lines)))
                text = "\n".join(lines) or "\n"
    return text


def test_mutated_lessons_give_sentences() -> None:
    texts = {path.name: path.read_text("utf-8") for path in sorted(ours().glob("*.md"))}
    random_ = random.Random(43)
    refused = 0
    for number in range(COUNT):
        name = random_.choice(list(texts))
        text = mutated(texts[name], random_)
        lesson, mistakes = read(text, name, known())
        assert (lesson is None) is bool(mistakes), number
        refused += bool(mistakes)
        for mistake in mistakes:
            assert SENTENCE.fullmatch(str(mistake)), (number, str(mistake))
            assert 1 <= mistake.line <= text.count("\n") + 2, (number, str(mistake))
            assert len(str(mistake)) < 1000
    assert COUNT * 0.5 < refused < COUNT
