// Package scenario describes a run completely: the network, the flows, the transport, congestion control and telemetry,
// and what is recorded. A scenario is plain data with a strict text form. The package does not depend on the
// simulation.
//
// # Text form
//
// The text form is YAML with a section for each part. Quantities carry their unit ("100Gbps", "1us", "32MiB"). Missing
// keys have defaults: the values of the PINT paper (section 6.1), unless "profile" or "extends: PRESET" selects others.
//
//	name: example
//	topology: {kind: leafspine, leaves: 4, spines: 4, hosts_per_leaf: 16}
//	workload:
//	  - {kind: poisson, sizes: hadoop, load: 0.3, duration: 5ms}
//	cc: {kind: hpcc, eta: 0.9}
//	telemetry: {kind: pint, p: 0.0625}
//
// The tags of the section structs are the schema (see schema.Field). Some keys of a section have an effect only with
// some kinds. If the kind changes, these keys are reset to their defaults. docs/reference/scenario lists every key; a
// test generates it from the comments in this package.
//
// # Strictness
//
// Unknown and duplicate keys, wrong types, numbers without unit, values out of range, settings that contradict each
// other and settings that have no effect are errors. All of them are reported at once, each with file, line, column,
// key, value and accepted values. No value is clipped or ignored.
//
// # The published simulator
//
// Package ns3config reads the config.txt of the HPCC-PINT simulator (ns-3). The profile "ns3-artifact" selects that
// simulator's different behaviour. Each setting of the profile is an ordinary key; Expand lists these settings.
package scenario
