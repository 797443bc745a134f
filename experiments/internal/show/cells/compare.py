# %% [markdown]
## Slowdown by flow size

Means over the seeds, with 95 % intervals, which few seeds make wide. Schemes are moved apart a little.
# %%
sizes = rows[rows["table"] == "size"]
for (workload, measure), part in sizes.groupby(["workload", "measure"], sort=False):
    axes = plt.figure().gca()
    for i, (scheme, line) in enumerate(part.groupby("scheme", sort=False)):
        error = [line["value"] - line["lo"], line["hi"] - line["value"]]
        axes.errorbar(line["size_B"] * 1.06**i, line["value"], yerr=error, marker="o", elinewidth=0.8, capsize=2, label=scheme)
    axes.set(xscale="log", xlabel="flow size, bytes", ylabel=measure, title=workload, ylim=(0, 1.3 * part["value"].max()))
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
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
    axes.axvline(1, color="grey", linewidth=1)
    axes.set(xlabel="ratio", title=workload)
    axes.invert_yaxis()  # the order of the table
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    plt.show()
