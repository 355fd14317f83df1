"""Imports a memory that exists, in any form that the audit reads, into the reference memory."""
