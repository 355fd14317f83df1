"""Files on disk: journal, segments, lock, lists of records, frontmatter."""
