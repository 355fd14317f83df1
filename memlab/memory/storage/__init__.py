"""Files on disk: journal, segments, lock, ledger, frontmatter."""
