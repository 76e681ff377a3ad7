"""The experiments of the pixel page, one a file: what to ask of a model and a picture beyond looking at it.

Each is a module with

    TITLE     what it is called in the choice of experiments
    QUESTION  what it answers, in one sentence of Markdown
    WORDS     what its choices are called in the address; leaving the experiment takes them out
    refusal(card) -> str | None      why this model cannot answer it, in one sentence; None where it can
    show(card, picture) -> None      draws it

Nothing here imports torch at the top: the page begins without it. What needs torch is computed by a function that
takes a `Checkpoint` first, imports what it needs inside, and is called through `cache.kept`.
"""
