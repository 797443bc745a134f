"""Runs pintlab and loads its results with pandas. "pintlab python" writes this module.

    import pintlab
    flows = pintlab.load("results")                      # all runs below, with the settings that differ
    flows.groupby("cc.kind")["fct_ps"].mean()
    flows = pintlab.run("fat320-web", {"workload.0.load": 0.7}, seed=2)
"""

import json
import os
import subprocess
from pathlib import Path

import pandas as pd

# Names of tables for people, and of their files.
FILES = {"ports": "series", "comparisons": "rows"}


def load(path, table="flows", settings=None):
    """Returns a table of all runs in or below a directory as one data frame.

    table is flows, jobs, tasks, links, ports (the time series of ports), flowseries, faults or another
    table of a run, comparisons (the rows of comparisons, sweeps and figures) or changes. Each line has the
    directory of its run and the settings in which the runs differ, as columns with the names of scenario
    keys. settings lists the keys to join instead.
    """
    frames, scenarios = [], {}
    name = FILES.get(table, table)
    for manifest in sorted(Path(path).glob("**/manifest.json")):
        directory = manifest.parent
        about = json.loads(manifest.read_text(encoding="utf-8"))
        is_run = "scenario" in about
        if is_run == (name in ("rows", "changes")) or not any((directory / (name + end)).exists() for end in (".csv", ".parquet")):
            continue
        frame = _read(directory, name)
        frame.insert(0, "run" if is_run else "results", str(directory))
        frames.append(frame)
        scenarios[len(frames) - 1] = _flat(about["scenario"]) if is_run else {}
    if not frames:
        raise FileNotFoundError(f"{path}: no table {table} of a run in or below this directory")
    keys = settings
    if keys is None:
        keys = [k for k in _union(scenarios.values())
                if len({str(s.get(k)) for s in scenarios.values()}) > 1]
    for i, frame in enumerate(frames):
        for key in keys:
            if key in frame.columns:
                continue
            frame[key] = scenarios[i].get(key)
    return pd.concat(frames, ignore_index=True)


def run(scenario, settings=None, table="flows", out="results", program=None, **more):
    """Runs a preset or scenario file with some settings and returns a table of the run.

    settings are keys and values as --set takes them. More of them may be arguments, with "__" for ".":
    run("fat320-web", workload__0__load=0.7). program is the pintlab to call; by default the environment
    variable PINTLAB, or pintlab in the PATH. A run that has finished before is not repeated.
    """
    changes = dict(settings or {})
    changes.update({key.replace("__", "."): value for key, value in more.items()})
    words = [program or os.environ.get("PINTLAB", "pintlab"), "run", str(scenario), "--out", str(out), "--quiet",
             "--json"]
    for key, value in changes.items():
        words += ["--set", f"{key}={_text(value)}"]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"{words[0]} ended with code {done.returncode}")
    return load(json.loads(done.stdout)["dir"], table, list(changes))


def _read(directory, name):
    """Returns a table of a directory: the CSV file, or else the Parquet file, for which pandas needs pyarrow."""
    csv = directory / (name + ".csv")
    if csv.exists():
        return pd.read_csv(csv)
    try:
        return pd.read_parquet(directory / (name + ".parquet"))
    except ImportError as e:
        raise ImportError(f"{directory} has {name} as Parquet only: install pyarrow, or run it with "
                          "--set 'run.outputs=[flows.parquet, flows.csv]'") from e


def _flat(value, prefix=""):
    """Returns the keys of a scenario with their full names, such as workload.0.load."""
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list) and any(isinstance(x, dict) for x in value):
        items = enumerate(value)
    else:
        return {prefix[:-1]: _text(value) if isinstance(value, list) else value}
    flat = {}
    for key, inner in items:
        flat.update(_flat(inner, f"{prefix}{key}."))
    return flat


def _union(scenarios):
    """Returns the keys of all scenarios in their order."""
    return list(dict.fromkeys(key for s in scenarios for key in s))


def _text(value):
    """Returns a value as --set takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_text(x) for x in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {_text(v)}" for k, v in value.items()) + "}"
    return str(value)
