"""A class: graded in parallel, kept in a journal, compared with what was graded before."""
