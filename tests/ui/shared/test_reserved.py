"""Height for a picture before it is drawn."""

import re

from attnviz.ui.shared.reserved import MOST_ROWS, container_key, style


def test_the_key_of_a_container_matches_one_rule_of_the_style_sheet() -> None:
    rules = dict(re.findall(r'\[class\*="(st-key-dots-\d+-)"\]\{--rows:(\d+)\}', style()))
    assert len(rules) == MOST_ROWS
    for rows in (1, 2, 12, 20):
        matching = [count for part, count in rules.items() if part in f"st-key-{container_key(rows, 'some_key')}"]
        assert matching == [str(rows)]
