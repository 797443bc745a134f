package random

import (
	"errors"
	"fmt"
	"slices"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/number"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/workloads"
)

// outcomeOf returns the outcome of a run.
func outcomeOf(r *sim.Result) Outcome {
	n := outcomes(r)
	s := &r.Summary
	return Outcome{
		Engines: 1, Flows: int64(r.Flows.Len()),
		Finished: n[store.Finished], Failed: n[store.OutOfTries], Unreachable: n[store.Unreachable],
		Stalled: n[store.Stalled], Unfinished: n[store.Unfinished] + n[store.Projected],
		PacketHops: int64(s.PacketHops), Drops: int64(s.Drops), LinkLosses: int64(s.LinkLosses), Marks: int64(s.Marks),
		Pauses: int64(s.Pauses),
	}
}

// outcomes counts flows by outcome.
func outcomes(r *sim.Result) map[store.FlowStatus]int64 {
	n := map[store.FlowStatus]int64{}
	for f := range r.Flows.All() {
		n[f.Outcome]++
	}
	return n
}

// judge checks the result of a run against the laws that apply to its scenario.
func (c *Case) judge(r *sim.Result, stall error) error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	sc := &r.Scenario
	timer := sc.Transport.Timer
	breaks := func(kind string) bool {
		return slices.ContainsFunc(sc.Faults, func(f scenario.Fault) bool { return f.Kind == kind })
	}
	rerouted := breaks(scenario.LinkDown) || breaks(scenario.SwitchFailure)
	forEver := slices.ContainsFunc(sc.Faults, func(f scenario.Fault) bool {
		return (f.Kind == scenario.HostPause || f.Kind == scenario.HostFailure) && f.Until == unit.Never
	})
	cut := !sc.Run.Drain || sc.Cut() < 10*unit.Second
	// PFC in a network with cycles may deadlock.
	sound := c.lossless && c.tree && (!timer || sc.Transport.MaxRetries == 30)

	// The ideal time is computed for the routes at the start of a flow and for packets without telemetry. If routes
	// change, or a forwarding entry is wrong, packets may take a path with faster links. If telemetry shares the MTU
	// with the payload, packets carry less, and the first one crosses the network earlier.
	bounded := !rerouted && !breaks(scenario.WrongPath) && sc.Run.IdealFCT == "store-and-forward" &&
		(sc.Transport.Sizing == "payload" || sc.Overhead() == 0 && len(sc.Monitors) == 0)
	for f := range r.Flows.All() {
		if f.Outcome != store.Finished {
			continue
		}
		if f.FCT < f.Ideal && bounded {
			wrong("flow %d took %v, but even alone in the network it would take %v", f.ID, f.FCT, f.Ideal)
		}
		least := uint32(
			(f.Size + sc.Transport.FullPayload(sc.Overhead()) -
				1) / sc.Transport.FullPayload(sc.Overhead()))
		if f.Packets-f.Retransmitted < least {
			wrong("flow %d of %v has sent %d packets, %d of them retransmissions; want at least %d first "+
				"transmissions", f.ID, f.Size, f.Packets,
				f.Retransmitted, least)
		}
	}
	ended := outcomes(r)
	started := int64(r.Flows.Len())
	waiting := r.Jobs != nil && ended[store.OutOfTries]+ended[store.Unreachable] > 0 // for flows that never finish
	if total := r.Workload.Stats.Flows; started > total || started < total && !cut && stall == nil && !waiting {
		wrong("%d flows of %d have a record", started, total)
	}
	allowed := map[store.FlowStatus]bool{
		store.Finished:   true,
		store.Unfinished: cut && stall == nil,
		store.Projected:  sc.Run.CutOff == "projected" && cut && stall == nil,
		// IRN does not increase its timeout after each try, so all retries may time out behind a long queue.
		store.OutOfTries:  timer && (!sound || sc.Transport.Kind == transport.IRN),
		store.Unreachable: rerouted,
		store.Stalled:     stall != nil,
	}
	for o, n := range ended {
		if !allowed[o] {
			wrong("%d flows are %v", n, o)
		}
	}
	// Without a timer, go-back-N may wait for ever if paths change within a flow. The receiver discards a packet that
	// overtook another packet and reports this. If the ACK of the other packet overtakes the report, the sender
	// ignores the report.
	recovers := timer || sc.Network.Balancing.Balancer().Splits() == route.Flows
	if stall != nil && (sound && recovers || ended[store.Stalled] == 0) {
		wrong("%d stalled flows: %v", ended[store.Stalled], stall)
	}
	n := &r.Counters
	if sound && (n.Dropped > 0 || n.Lost > 0) {
		wrong("%s dropped, %d lost", number.Count(n.Dropped, "packet"), n.Lost)
	}
	var silent int64
	for _, toll := range n.Tolls {
		silent += toll.Packets
		if toll.Packets > 0 != (toll.Bytes > 0) {
			wrong("silent faults have ended %d packets of %d bytes", toll.Packets, toll.Bytes)
		}
	}
	if silent > n.Dropped+n.Lost {
		wrong("silent faults have ended %d packets, %d were dropped and %d lost", silent, n.Dropped, n.Lost)
	}
	// The run ends together with the last measured flow. Packets of unmeasured flows may still be under way then.
	unmeasured := sc.Run.KeepLoad > 0 || slices.ContainsFunc(sc.Workload, func(s scenario.Source) bool {
		p, ok := s.Params.(*workloads.PoissonTraffic)
		return ok && p.UnderWay == workloads.Steady
	})
	left := n.Injected - n.Delivered - n.Dropped - n.Lost
	if r.Deadlock != "" && c.tree && !rerouted && !breaks(scenario.Loop) && !breaks(scenario.WrongPath) {
		wrong("PFC locks up in a tree: %s", r.Deadlock)
	}
	if left < 0 ||
		left > 0 && !cut && !unmeasured && stall == nil && !forEver && ended[store.OutOfTries] == 0 &&
			r.Deadlock == "" {
		wrong("%s left", number.Count(left, "packet"))
	}
	return errors.Join(errs...)
}
