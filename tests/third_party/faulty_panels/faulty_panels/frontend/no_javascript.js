this is no JavaScript
