"""Charts as PNG and SVG."""
