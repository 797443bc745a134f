// Package sim builds a simulation from a scenario, runs it, and saves the result.
//
//	scenario.Scenario  →  Build  →  Simulation  →  Run  →  Result  →  Save
package sim
