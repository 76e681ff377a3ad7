"""What the pages share: their frame, the URL, the pickers, the cache, results and words."""
