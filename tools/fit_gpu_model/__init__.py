"""How tools/fit-gpu-model works: rows (measured.py), the model (model.py), what a shape may launch (ways.py), the fits
(families.py, choices.py) and their tables (report.py)."""
