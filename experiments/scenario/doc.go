// Package scenario is the complete description of one run: which network, which
// flows, which transport, congestion control and telemetry, what is recorded. It
// is plain data with a strict text form; it knows nothing of simulation.
//
// # Text form
//
// YAML with one section per part. Quantities carry their unit ("100Gbps", "1us",
// "32MiB"). Keys that are not given have defaults: those of the PINT paper
// (section 6.1) unless "profile" or "extends: PRESET" says otherwise.
//
//	name: example
//	topology: {kind: leafspine, leaves: 4, spines: 4, hosts_per_leaf: 16}
//	workload:
//	  - {kind: poisson, sizes: hadoop, load: 0.3, duration: 5ms}
//	cc: {kind: hpcc, eta: 0.9}
//	telemetry: {kind: pint, p: 0.0625}
//
// The tags of the section structs are the schema (see field). A section has a
// kind, and keys that have an effect only with some kinds. A change of the kind
// starts those keys from their defaults. docs/scenario.md lists every key; it is
// made from the comments in this package, and a test keeps it so.
//
// # Strictness
//
// Unknown and duplicate keys, wrong types, numbers without unit, values out of
// range, settings that contradict each other and settings that have no effect are
// errors. All of them are reported at once, each with file, line, column, key,
// value and what is accepted instead. Nothing is clipped or ignored.
//
// # The published simulator
//
// Package ns3config reads the config.txt of the HPCC-PINT simulator (ns-3). The
// profile "ns3-artifact" sets what that simulator does differently; Expand lists
// it, and each of its settings is an ordinary key.
package scenario
