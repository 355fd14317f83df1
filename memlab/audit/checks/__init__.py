"""One module for each kind of finding."""
