"""Files on disk: journal, lock, lists of records, frontmatter."""
