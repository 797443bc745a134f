# %% [markdown]
## Rows

The columns of `rows.csv`, with their units.
# %%
rows = pintlab.load(DIR, "comparisons").drop(columns="results")
schema = json.loads((DIR / "rows.schema.json").read_text())
print(pd.DataFrame(schema["fields"]).reindex(columns=["name", "unit"]).dropna())
