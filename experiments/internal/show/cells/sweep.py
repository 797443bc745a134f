# %% [markdown]
## Slowdown and completion time by setting

Means over the seeds; whiskers are the standard deviation. Short, medium and long are the classes of flow sizes.
# %%
axes = list(rows.columns[: rows.columns.get_loc("seed")])
for name in axes:  # in the order of the rows
    rows[name] = pd.Categorical(rows[name], rows[name].unique())
by_setting = rows.groupby(axes, observed=True)
measures = [c for c in rows if c.endswith("_slowdown") or c.endswith("_p95_fct_s") if rows[c].notna().any()]
mean, std = by_setting[measures].mean(), by_setting[measures].std().fillna(0)
print(mean.to_string())
figure, panels = plt.subplots(len(measures), 1, figsize=(8, 2.6 * len(measures)), squeeze=False, layout="constrained")
for panel, name in zip(panels.flat, measures):
    value, error = mean[name], std[name]
    if len(axes) > 1:  # the last setting has the colours
        value, error = (x.unstack().dropna(how="all") for x in (value, error))
    value.plot.bar(ax=panel, yerr=error.reindex(value.index), capsize=3, xlabel="", ylabel=name, rot=0, legend=False)
if len(axes) > 1:
    panels[0, 0].legend(title=axes[-1], loc="upper left", bbox_to_anchor=(1, 1))
panels[-1, 0].set_xlabel(", ".join(axes[:-1] or axes))
plt.show()
# %% [markdown]
## Paired comparison

What each value of a setting changes against the first one where all others are alike: ratios over the same seeds, with 95 % intervals.
# %%
changes = pintlab.load(DIR, "changes")
changes["what"] = changes["value"].astype(str) + " : " + changes["against"].astype(str) + ", " + changes["others"].fillna("").astype(str)
for measure, part in changes[changes["measure"].isin(["mean_fct", "p95_slowdown", "p99_slowdown"])].groupby("measure", sort=False):
    print(part[["what", "ratio", "lo", "hi", "seeds"]].to_string(index=False))
    axes = part.plot.scatter(x="ratio", y="what", xerr=[part["ratio"] - part["lo"], part["hi"] - part["ratio"]], title=measure, ylabel="")
    axes.axvline(1, color="grey", linewidth=1)
    axes.invert_yaxis()  # the order of the table
    plt.show()
