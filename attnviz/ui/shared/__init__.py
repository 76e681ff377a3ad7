"""Code that several pages share: the page frame, URL state, pickers, caching, results and wording."""
