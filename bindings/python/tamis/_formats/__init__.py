"""Readers and writers of file formats, for tamis.read and tamis.write."""
