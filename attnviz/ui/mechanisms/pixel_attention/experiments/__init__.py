"""The experiments of the pixel page and of *The paper revisited*, one per file: questions that maps alone leave open.

Each is a module with

    TITLE     the question
    MEASURES  what is measured, in one sentence of Markdown that leaves the result open
    WORDS     what its choices are called in the URL; another experiment takes them out
    refusal(net) -> str | None       why this net cannot answer it, in one sentence; None where it can
    show(subject) -> None            draws it; first of all what it found, a sentence that a pure function makes of
                                     the numbers (ui/shared/experiments.py: finding)
    VIEWS     what its components show, for the page and for the live channel

Nothing here imports torch at the top: the page begins without it. What needs torch is computed by a function that
imports what it needs inside. It takes a `Loaded` and is called through `cache.of_net`, or a `Loaded` and an example and
is called through `cache.of_subject`.
"""
