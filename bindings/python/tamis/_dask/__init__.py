"""What tamis.dask is made of: graphs of chunks, and what their tasks do."""
