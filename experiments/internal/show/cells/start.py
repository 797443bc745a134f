# %% [markdown]
Made by `pintlab notebook`. It reads the stored files, and needs pandas and matplotlib.
# %%
import json
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

DIR = Path(@DIR@)
manifest = json.loads((DIR / "manifest.json").read_text())
print(manifest["command"])


def table(name):
    csv = DIR / f"{name}.csv"
    return pd.read_csv(csv) if csv.exists() else pd.read_parquet(DIR / f"{name}.parquet")
