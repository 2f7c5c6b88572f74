"""One folder per agent: its payloads, its installer, its driver. `catalog.py` lists them."""
