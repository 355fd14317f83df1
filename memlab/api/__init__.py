"""What `import memlab` gives; memlab/__init__.py lists the names."""
