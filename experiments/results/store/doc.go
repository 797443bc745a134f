// Package store reads and writes the results of a run. It defines the record types, the files, and the run directory,
// which is complete or absent. It does not depend on the simulation. docs/reference/formats describes every file and
// column.
//
//	manifest.json   what was run, on what, how long it took (Manifest)
//	flows.parquet   one row per flow (FlowRecord)
//	flows.csv       the same columns as text
//	fct.txt         one line per finished flow, as the HPCC simulators write it
//	series.*        one row per port and sample (PortSample), Parquet and CSV
//	flowseries.*    one row per flow and sample (FlowSample), Parquet and CSV
//
// Times are integers in picoseconds, sizes integers in bytes. Reading a file returns the records that were written. The
// same records produce the same bytes on every machine, except for manifest.json, which names the machine.
package store
