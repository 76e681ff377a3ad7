"""The experiments of the pixel page and of *The paper revisited*, one per file: questions that maps alone leave open.

Each is a module with

    TITLE     the question
    MEASURES  what is measured, in one sentence of Markdown that leaves the result open
    WORDS     the URL fields of its choices, which another experiment removes
    refusal(net) -> str | None       why this net cannot answer it, in one sentence, or None if it can; may be
                                     absent if every net can
    show(subject) -> None            draws it, beginning with its finding: a sentence that a pure function makes from
                                     the numbers (ui/shared/experiments.py: finding)
    VIEWS     the contents of its components, for the page and for the live channel

No module here imports torch at the top, so that the page starts without it. A function that needs torch imports it
inside. It takes a `Loaded` and is called through `cache.of_net`, or a `Loaded` and an example and is called through
`cache.of_subject`.
"""
