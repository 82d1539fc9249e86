"""The Compare page: graphs held against a truth, against other runs and against other methods."""
