"""Audits a memory that exists: instruction files, folders of notes, exports, databases. Nothing is run or changed."""
