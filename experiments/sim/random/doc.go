// Package random checks whole scenarios that nobody would think of: any network,
// workload, transport, congestion control, telemetry, monitor and buffer, with links that lose
// packets, break and are repaired, and hosts that stop sending. It demands of each that
//
//   - the run ends, and every flow has finished or is reported as failed, unreachable,
//     stalled or unfinished, each for a reason that the scenario has;
//   - every packet that was made was delivered, dropped or lost, unless something is
//     left for ever in front of a host or switch that does not go on;
//   - a network that can neither lose nor refuse a packet does neither, and every flow
//     of it finishes, none faster than alone;
//   - the same scenario gives the same result again, and on several engines: flow records,
//     counters, time series and tables of monitors.
//
// Draw makes a scenario of the choices of a Chooser. Those of a campaign come from its seed and
// the number of the scenario (pintlab validate random); those of the test from rapid, which makes
// what fails as small as possible and keeps it in testdata/rapid. With the build tag invariants
// everything is also checked from inside while it goes on.
package random
