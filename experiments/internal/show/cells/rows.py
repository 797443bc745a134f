# %% [markdown]
## Rows

The columns of `rows.csv`, with their units.
# %%
rows = table("rows")
schema = json.loads((DIR / "rows.schema.json").read_text())
print(pd.DataFrame(schema["fields"]).reindex(columns=["name", "unit"]).dropna())
