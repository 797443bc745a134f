// Package store keeps what a run produced: its record types, the files they are
// written to, and the directory that is there as a whole or not at all. It knows
// nothing of simulation. docs/formats.md describes every file and column.
//
//	manifest.json   what was run, on what, how long it took (Manifest)
//	flows.parquet   one row per flow (FlowRecord)
//	flows.csv       the same columns as text
//	fct.txt         one line per finished flow, as the HPCC simulators write it
//	series.*        one row per port and sample (PortSample), Parquet and CSV
//	flowseries.*    one row per flow and sample (FlowSample), Parquet and CSV
//
// Times are integers in picoseconds, sizes integers in bytes; a record survives
// its files unchanged. Files of the same records are the same bytes on every
// machine, except for manifest.json, which names the machine.
package store
