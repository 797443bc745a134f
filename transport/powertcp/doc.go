// Package powertcp implements PowerTCP, a congestion control that reacts to the power of the
// busiest link, and θ-PowerTCP, which estimates the power from round-trip times.
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
//	Γ           gauge            power λ·ν over b²·τ, the power of a full link with no queue; of the
//	                             busiest port, averaged over τ
//	γ           Params.Gamma     weight of a new window
//	β           sender.beta      additive increase: b of the NIC times τ over Params.Flows
//	cwnd_old    history          window under which the acknowledged packet was sent
//
// The window becomes γ·(cwnd_old/Γ + β) + (1-γ)·cwnd. PowerTCP updates it with every ACK,
// θ-PowerTCP once per round trip. The rate is the window divided by τ. In equilibrium the queue of
// the bottleneck is the sum of all β (Theorem 1).
//
// # Where Γ comes from
//
//   - INT: the sender computes Γ from a record per hop (Algorithm 1).
//   - PINT: each switch keeps Γ of its ports, averaged over τ, and a packet carries the code of the
//     largest (pint.Utilization with Arrivals). The sender uses it without further averaging.
//   - Round-trip times θ (power: theta): Γ = (θ̇ + 1)·θ/τ (Algorithm 2). Γ cannot fall below 1 on
//     an idle path, so the window then grows only by β.
//
// # What the PowerTCP paper leaves open
//
//   - The window is at least one packet and at most the NIC's rate times τ. It begins at this maximum.
//   - Γ below 1/512 counts as 1/512.
//   - A hop at which no packet has arrived since the previous record does not count. This follows
//     Algorithm 1, whose Γ_norm begins with 0 and changes only for a larger value. Senders with
//     more in flight than their window send nothing while a queue drains; a current of 0 would let
//     them grow at once.
//   - Γ begins with 1. The first ACK with feedback, and the first one after a path change, only
//     starts the measurement, because there is no earlier record. An interval longer than τ counts
//     as τ.
//   - The evaluation in the PowerTCP paper uses γ = 0.9, and β for N expected flows of a NIC (§3.3,
//     §4.1). N = 10 is the default of the authors' kernel module.
package powertcp
