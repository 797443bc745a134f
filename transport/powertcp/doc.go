// Package powertcp is PowerTCP, congestion control from the power of the busiest link, and
// θ-PowerTCP, which estimates it from round-trip times.
//
//	Addanki, Michel, Schmid, "PowerTCP: Pushing the Performance Limits of Datacenter
//	Networks", NSDI 2022, Algorithms 1 and 2.
//
// # Symbols
//
//	paper       here             meaning
//	τ           sender.tau       base RTT
//	q, q̇, µ     -                queue of a port, its change, and what the port sends
//	λ = q̇ + µ   -                current: the rate at which bytes come to the port
//	ν = q + b·τ -                voltage, b the rate of the link
//	Γ           gauge            power λ·ν over b²·τ, that of a full link with no queue; of the
//	                             busiest port, averaged over τ
//	γ           Params.Gamma     weight of a new window
//	β           sender.beta      additive increase: b of the NIC times τ over Params.Flows
//	cwnd_old    history          window under which the acknowledged packet was sent
//
// The window becomes γ·(cwnd_old/Γ + β) + (1-γ)·cwnd: with every ACK, or once a round trip in
// θ-PowerTCP. The rate is the window over τ. In equilibrium the bottleneck has the sum of all β
// in its queue (Theorem 1).
//
// # Where Γ comes from
//
//   - INT: the sender computes it from a record per hop (Algorithm 1).
//   - PINT: each switch keeps Γ of its ports, averaged over τ, and a packet carries the code of
//     the largest (pint.Utilization with Arrivals). The sender takes it as it is.
//   - Round-trip times θ (power: theta): Γ = (θ̇ + 1)·θ/τ (Algorithm 2). It cannot fall below 1
//     on an idle path, so that the window grows by β alone there.
//
// # What the PowerTCP paper leaves open
//
//   - The window stays within one packet and the NIC's rate times τ, where it begins.
//   - Γ below 1/512 counts as 1/512.
//   - A record since which nothing has come says nothing about a hop, as Algorithm 1 has it: its
//     Γ_norm begins with 0, and only a larger value has an interval. Senders whose windows are
//     smaller than what they have in flight send nothing while a queue drains. A current of 0
//     would let them grow at once.
//   - Γ begins with 1. The first ACK with feedback, and the first after a change of path, only
//     records: there is nothing to take a difference with. An interval longer than τ counts as τ.
//   - The PowerTCP paper's evaluation has γ = 0.9 and β for N expected flows of a NIC (§3.3, §4.1). N = 10
//     is the default of the authors' kernel module.
package powertcp
