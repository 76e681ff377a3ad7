"""A third party's model that reads strips of one to three digits: pictures of any width, and targets that are texts."""
