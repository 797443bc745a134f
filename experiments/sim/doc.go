// Package sim turns a scenario into a simulation, runs it, and saves what came out.
//
//	scenario.Scenario  →  Build  →  Simulation  →  Run  →  Result  →  Save
package sim
