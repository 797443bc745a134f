package store

import (
	"fmt"

	"pintlab/netsim/unit"
)

// Outcome is how a flow ended.
type Outcome uint8

// The outcomes of a flow. Only finished and projected flows have a completion time.
const (
	Finished    Outcome = iota // the sender has the ACK of the last byte
	Unfinished                 // the run ended first
	OutOfTries                 // so many timeouts in a row without progress that the sender gave up
	Unreachable                // no path to the destination
	Stalled                    // the watchdog ended the run, and this flow was waiting
	Projected                  // the run ended first; FCT is what the flow takes at its pace up to then
)

var outcomeNames = []string{"finished", "unfinished", "out-of-tries", "unreachable", "stalled", "projected"}

// String is the word that the files use.
func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// Failed says whether the flow could not be finished, however long the run.
func (o Outcome) Failed() bool { return o == OutOfTries || o == Unreachable || o == Stalled }

// Timed says whether the flow has a completion time.
func (o Outcome) Timed() bool { return o == Finished || o == Projected }

// ParseOutcome reads the word that String writes.
func ParseOutcome(s string) (Outcome, error) {
	for i, name := range outcomeNames {
		if s == name {
			return Outcome(i), nil
		}
	}
	return 0, fmt.Errorf("outcome %q (accepted: %q)", s, outcomeNames)
}

// FlowRecord is what remains of a flow.
type FlowRecord struct {
	ID            int64 // in the workload, from 0; unique in a run
	Src, Dst      int32 // node numbers of the hosts
	SrcPort       uint16
	DstPort       uint16
	Class         uint8   // what the flow was there for: 0 background, 1 incast
	Outcome       Outcome //
	Hops          uint8   // switches on the path of the data
	Size          unit.Bytes
	Start         unit.Time
	FCT           unit.Time // from Start to the ACK of the last byte at the sender; unit.Never unless Outcome.Timed
	Ideal         unit.Time // the same alone in the network, as the scenario's run.ideal_fct computes it
	Packets       uint32    // data packets sent, retransmissions included
	Retransmitted uint32    // of these, sent again
	Timeouts      uint32    // of the retransmission timer
}

// Slowdown is FCT / Ideal; it is meaningless unless Outcome.Timed.
func (r *FlowRecord) Slowdown() float64 { return r.FCT.Ratio(r.Ideal) }

// check is the rule that r breaks, or nil.
func (r *FlowRecord) check() error {
	switch {
	case r.ID < 0:
		return fmt.Errorf("id %d is negative", r.ID)
	case r.Src < 0 || r.Dst < 0:
		return fmt.Errorf("hosts %d and %d must not be negative", r.Src, r.Dst)
	case int(r.Outcome) >= len(outcomeNames):
		return fmt.Errorf("outcome %d is not known", r.Outcome)
	case r.Size < 1:
		return fmt.Errorf("size %d B, want at least 1", int64(r.Size))
	case r.Start < 0 || r.Start == unit.Never:
		return fmt.Errorf("start %d ps, want an instant of the run", int64(r.Start))
	case r.Outcome.Timed() && (r.FCT < 1 || r.FCT == unit.Never):
		return fmt.Errorf("completion time %d ps of a %v flow, want at least 1", int64(r.FCT), r.Outcome)
	case !r.Outcome.Timed() && r.FCT != unit.Never:
		return fmt.Errorf("completion time %d ps of a flow that is %v", int64(r.FCT), r.Outcome)
	case r.Ideal < 1:
		return fmt.Errorf("ideal completion time %d ps, want at least 1", int64(r.Ideal))
	}
	return nil
}
