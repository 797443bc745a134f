# %% [markdown]
## Slowdown by flow size

Completion time over that on an empty network, of all finished or estimated flows, in ten groups of equally many. Flows of one size are in one
group.
# %%
flows = pintlab.load(DIR)
done = flows[flows["outcome"].isin(["finished", "estimated"])].copy()
done["slowdown"] = done["fct_ps"] / done["ideal_ps"]
group = (done["size_bytes"].rank(method="min", pct=True) * 10).clip(upper=9.99).astype(int)
by_size = done.groupby(group).agg(
    to_bytes=("size_bytes", "max"),
    flows=("slowdown", "size"),
    mean=("slowdown", "mean"),
    p50=("slowdown", "median"),
    p95=("slowdown", lambda x: x.quantile(0.95)),
    p99=("slowdown", lambda x: x.quantile(0.99)),
)
print(by_size.to_string(index=False))
by_size.plot(x="to_bytes", y=["p50", "p95", "p99"], marker="o", logx=True, xlabel="flow size, bytes", ylabel="slowdown")
plt.show()
