"""The conditions of tasks: what must hold of the page before a task counts as done.

    query is 12,13                                 the URL says so
    viewer.answer is not 8 and off is set          a value that a component declares, and a field of the URL
    pixel_viewer.share > 5

A name without a dot is a field of the URL, which leaves defaults out; one with a dot is COMPONENT.VALUE.
`frontend/lessons/lesson_bar.js` decides whether they hold.
"""

import re
from collections.abc import Collection, Mapping

from attnviz.errors import BadInput, closest
from attnviz.lessons.lesson import Condition

RELATIONS = ("is not set", "is set", "is not", "is", "contains", "changed", "<=", ">=", "<", ">")
ALONE = ("is set", "is not set", "changed")  # these take no value

_NAME = r"[A-Za-z_]\w{0,39}(?:\.[a-z_]\w{0,39}){0,2}"
_ONE = re.compile(
    rf"(?P<name>{_NAME})\s+(?P<relation>{'|'.join(re.escape(one) for one in RELATIONS)})(?:\s+(?P<value>\S.*))?",
    re.ASCII,
)
_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,9})?", re.ASCII)


def read(words: str, declared: Mapping[str, Collection[str]]) -> Condition:
    """Return the conditions that words mean; they hold together.

    Args:
        words: joined by "and".
        declared: as of `Known`.

    Raises:
        BadInput: a condition is none, or names a value that its component does not declare.
    """
    found = []
    for one in re.split(r"\s+and(?:\s+|$)", words.strip()):
        parts = _ONE.fullmatch(one)
        if not parts or (parts["relation"] in ALONE) is not (parts["value"] is None):
            raise BadInput(
                f"A condition is such as 'query is 12,13' or 'pixel_viewer.share > 5', with one of "
                f"{', '.join(RELATIONS)}, not {one[:60]!r}."
            )
        name, relation, value = parts["name"], parts["relation"], (parts["value"] or "").strip()
        check_name(name, declared)
        if relation[0] in "<>" and not _NUMBER.fullmatch(value):
            raise BadInput(f"Only numbers can be compared with {relation}, and {value[:60]!r} is none.")
        found.append([name, relation, value])
    return found


def check_name(name: str, declared: Mapping[str, Collection[str]]) -> None:
    """Refuse the name of a value that its component does not declare.

    Args:
        name: COMPONENT.VALUE; one without a dot is a field of the URL, and passes.
        declared: as of `Known`.

    Raises:
        BadInput: says which values there are.
    """
    component, dot, value = name.partition(".")
    if dot and component in declared and value not in declared[component]:
        raise BadInput(f"{component} declares no value {value!r}. {closest(value, declared[component])}")
