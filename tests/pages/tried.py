"""The *try* links of a page, clicked one after the other."""

from collections.abc import Iterator

from streamlit.testing.v1 import AppTest


def tried(test: AppTest) -> Iterator[tuple[str, dict[str, str]]]:
    """Click each *try* of a page that has run; yield its label and the words that are then in the URL."""
    count = len([button for button in test.button if (button.key or "").startswith("page_try_")])
    for number in range(count):
        button = test.button(key=f"page_try_{number}")
        label = button.label.removeprefix(":primary-badge[").rstrip("]")
        button.click().run()
        assert not test.exception
        assert [one.value for one in (*test.warning, *test.error)] == []
        words = test.query_params.items()
        yield label, {name: word if isinstance(word, str) else word[0] for name, word in words}
