// Package experiments turns a scenario into a simulation, runs it, many of them in
// parallel, and keeps what came out.
//
//	scenario.Scenario  →  Build  →  Simulation  →  Run  →  Result  →  store
//
// The lists of congestion controls, telemetry systems and topologies by name are in
// build_*.go: adding one is a line there. The figures of the documents are in
// the subfolders, one package each; package all lists them.
package experiments
