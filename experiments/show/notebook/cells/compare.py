# %% [markdown]
## Slowdown by flow size

Means over the seeds, with 95 % intervals.
# %%
sizes = rows[rows["table"] == "size"]
for (workload, measure), part in sizes.groupby(["workload", "measure"], sort=False):
    axes = plt.figure().gca()
    for scheme, line in part.groupby("scheme", sort=False):
        axes.plot(line["size_B"], line["value"], marker="o", label=scheme)
        axes.fill_between(line["size_B"], line["lo"], line["hi"], alpha=0.2)
    axes.set(xscale="log", xlabel="flow size, bytes", ylabel=measure, title=workload, ylim=(0, 1.2 * part["value"].max()))
    axes.legend()
    plt.show()
# %% [markdown]
## Paired comparison

Ratios on the same flows: geometric means over the seeds, with 95 % intervals. What crosses 1 is no difference.
# %%
ratios = rows[rows["table"] == "ratio"]
print(ratios[["workload", "scheme", "versus", "measure", "value", "lo", "hi"]].to_string(index=False))
for workload, part in ratios.groupby("workload", sort=False):
    axes = plt.figure().gca()
    for scheme, line in part.groupby("scheme", sort=False):
        axes.errorbar(line["value"], line["measure"], xerr=[line["value"] - line["lo"], line["hi"] - line["value"]], fmt="o", capsize=3, label=f"{scheme} : {line['versus'].iloc[0]}")
    axes.axvline(1, color="grey")
    axes.set(xlabel="ratio", title=workload)
    axes.legend()
    plt.show()
