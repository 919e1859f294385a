"""How fast tamis is on this machine, beside the libraries that are installed: ``python -m tamis.bench``."""
