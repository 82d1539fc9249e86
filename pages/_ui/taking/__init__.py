"""The Export page: files, code and the whole session."""
