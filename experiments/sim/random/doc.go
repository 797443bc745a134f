// Package random tests whole scenarios that nobody would think of: any network,
// workload, transport, congestion control, telemetry and buffer, with links that lose
// packets, break and are repaired, and hosts that stop sending. Its tests demand of
// each that
//
//   - the run ends, and every flow has finished or is reported as failed, unreachable,
//     stalled or unfinished, each for a reason that the scenario has;
//   - every packet that was made was delivered, dropped or lost, unless something is
//     left for ever in front of a host or switch that does not go on;
//   - a network that can neither lose nor refuse a packet does neither, and every flow
//     of it finishes, none faster than alone;
//   - the same scenario gives the same result again, and on several engines.
//
// go test runs a hundred; with -tags invariants everything is also checked from inside
// while it goes on. -rapid.checks says how many, -rapid.seed which: ten thousand take
// some two minutes of one core,
//
//	GOMAXPROCS=1 go test -tags invariants -timeout 0 ./experiments/sim/random -rapid.checks=10000 -rapid.seed=1
//
// What fails is made as small as possible and kept in testdata/rapid; the message says
// how to run it again.
package random
