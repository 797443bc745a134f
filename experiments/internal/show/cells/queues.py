# %% [markdown]
## Queues over time

The longest queue of each layer at each sample.
# %%
series = pintlab.load(DIR, "ports")
queues = series.pivot_table(index="time_ps", columns="layer", values="queue_bytes", aggfunc="max") / 1e3
queues.index = queues.index / 1e6
print(queues.describe().loc[["mean", "max"]])
queues.plot(xlabel="time, µs", ylabel="longest queue, KB")
plt.show()
