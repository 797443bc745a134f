# %% [markdown]
## Slowdown and completion time by setting

Means over the seeds; bars are the standard deviation. Short, medium and long are the classes of flow sizes.
# %%
axes = list(rows.columns[: rows.columns.get_loc("seed")])
by_setting = rows.groupby(axes, sort=False)
measures = [c for c in rows if c.endswith("_slowdown") or c.endswith("_p95_fct_s") if rows[c].notna().any()]
mean, std = by_setting[measures].mean(), by_setting[measures].std().fillna(0)
print(mean.to_string())
figure, panels = plt.subplots(len(measures), 1, figsize=(8, 3 * len(measures)), squeeze=False)
for panel, name in zip(panels.flat, measures):
    mean[name].plot.bar(ax=panel, yerr=std[name], capsize=3, xlabel="", ylabel=name, rot=20)
figure.tight_layout()
plt.show()
# %% [markdown]
## Paired comparison

What each value of a setting changes against the first one where all others are alike: ratios over the same seeds, with 95 % intervals.
# %%
changes = table("changes")
changes["what"] = changes["value"].astype(str) + " : " + changes["against"].astype(str) + ", " + changes["others"].fillna("").astype(str)
for measure, part in changes[changes["measure"].isin(["mean_fct", "p95_slowdown", "p99_slowdown"])].groupby("measure", sort=False):
    print(part[["what", "ratio", "lo", "hi", "seeds"]].to_string(index=False))
    part.plot.scatter(x="ratio", y="what", xerr=[part["ratio"] - part["lo"], part["hi"] - part["ratio"]], title=measure, ylabel="")
    plt.axvline(1, color="grey")
    plt.show()
