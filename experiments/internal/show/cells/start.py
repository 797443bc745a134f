# %% [markdown]
Made by `pintlab notebook`. It loads the stored files with `pintlab.py`, which is next to it, and needs pandas and matplotlib.
# %%
import json
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pintlab

DIR = Path(@DIR@)
print(json.loads((DIR / "manifest.json").read_text())["command"])
