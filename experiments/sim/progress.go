package sim

import (
	"fmt"

	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Progress is the progress of a run.
type Progress struct {
	Now      unit.Time // simulated time
	Until    unit.Time // time at which the run ends even if flows are active; Never if it waits for all flows
	Flows    int64     // number of flows of the workload
	Ended    int64     // flows that have ended
	Acked    int64     // acknowledged bytes
	Bytes    int64     // bytes of the workload
	Counters netsim.Counters

	// For an estimate: the simulations of links, how many of them are done, and their packet-hops without
	// retransmissions. These are 0 if the run is not an estimate.
	Links, LinksDone int
	Foreseen         int64
}

// Share estimates the finished share of the run, in [0, 1]. It is the largest of the shares of ended flows,
// acknowledged bytes and simulated time.
func (p Progress) Share() float64 {
	if p.Flows == 0 && p.Links == 0 {
		return 1
	}
	share := max(p.timeShare(), float64(p.Ended)/float64(max(1, p.Flows)))
	if p.Bytes > 0 {
		share = max(share, float64(p.Acked)/float64(p.Bytes))
	}
	return min(1, share)
}

// timeShare returns the elapsed share of the simulated time, or 0 if the run has no fixed end.
func (p Progress) timeShare() float64 {
	if p.Until == unit.Never || p.Until == 0 {
		return 0
	}
	return p.Now.Seconds() / p.Until.Seconds()
}

// String describes the progress.
func (p Progress) String() string {
	hops := float64(p.Counters.PacketHops) / 1e6
	if p.Links > 0 {
		return fmt.Sprintf("%d of %s, %.1f M packet-hops", p.LinksDone, number.Count(p.Links, "link"), hops)
	}
	of := ""
	if p.timeShare() > 0 && p.timeShare() >= p.Share() {
		of = fmt.Sprintf(" of %.2f", 1e3*p.Until.Seconds())
	}
	return fmt.Sprintf("%d of %s, %.2f%s ms simulated, %.1f M packet-hops", p.Ended, number.Count(p.Flows, "flow"),
		1e3*p.Now.Seconds(), of, hops)
}
