package store

import (
	"fmt"
	"math"
	"slices"

	"pintlab/netsim/unit"
)

// FlowStatus is the outcome of a flow.
type FlowStatus uint8

// Outcomes of a flow. Finished, projected and estimated flows have a completion time.
const (
	Finished    FlowStatus = iota // the sender has the ACK of the last byte
	Unfinished                    // the run ended first
	OutOfTries                    // the sender gave up after too many consecutive timeouts without progress
	Unreachable                   // no path to the destination
	Stalled                       // the watchdog ended the run while this flow was waiting
	Projected                     // the run ended first; FCT extrapolates from the flow's mean pace
	Estimated                     // FCT is an estimate: the flow was not simulated from end to end
)

var statusNames = []string{"finished", "unfinished", "out-of-tries", "unreachable", "stalled", "projected", "estimated"}

// String returns the outcome as the files spell it.
func (s FlowStatus) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("FlowStatus(%d)", uint8(s))
}

// Failed reports whether the flow could never finish.
func (s FlowStatus) Failed() bool { return s == OutOfTries || s == Unreachable || s == Stalled }

// Timed reports whether the flow has a completion time.
func (s FlowStatus) Timed() bool { return s == Finished || s == Projected || s == Estimated }

// parseFlowStatus parses the result of String.
func parseFlowStatus(s string) (FlowStatus, error) {
	i := slices.Index(statusNames, s)
	if i < 0 {
		return 0, fmt.Errorf("outcome %q (accepted: %q)", s, statusNames)
	}
	return FlowStatus(i), nil
}

// FlowRecord is the record of a flow.
type FlowRecord struct {
	ID            int64 // number in the workload, from 0; unique in a run
	Src, Dst      int32 // node numbers of the hosts
	SrcPort       uint16
	DstPort       uint16
	Class         uint8      // purpose of the flow: 0 background, 1 incast
	Outcome       FlowStatus //
	Hops          uint8      // switches on the path of the data when the flow starts, even if the path is wrong
	Size          unit.Bytes
	Start         unit.Time
	FCT           unit.Time // from Start to the ACK of the last byte at the sender; unit.Never unless Outcome.Timed
	Ideal         unit.Time // FCT of the flow alone in the network (run.ideal_fct); unit.Never if it is unreachable
	Packets       uint32    // data packets sent, with retransmissions; this and the next two fields may be Unknown
	Retransmitted uint32    // number of retransmissions among these packets
	Timeouts      uint32    // expiries of the retransmission timer
}

// Unknown is the value of a number of packets or timeouts that was not counted, as in estimates.
const Unknown = math.MaxUint32

// Slowdown returns FCT / Ideal; it is meaningful only if Outcome.Timed.
func (r *FlowRecord) Slowdown() float64 { return r.FCT.Ratio(r.Ideal) }

// counts returns the numbers that may be Unknown, in the order of the columns.
func (r *FlowRecord) counts() [3]uint32 { return [3]uint32{r.Packets, r.Retransmitted, r.Timeouts} }

// check returns the rule that r breaks, or nil.
func (r *FlowRecord) check() error {
	switch {
	case r.ID < 0:
		return fmt.Errorf("id %d is negative", r.ID)
	case r.Src < 0 || r.Dst < 0:
		return fmt.Errorf("hosts %d and %d must not be negative", r.Src, r.Dst)
	case int(r.Outcome) >= len(statusNames):
		return fmt.Errorf("outcome %d is not known", r.Outcome)
	case r.Size < 1:
		return fmt.Errorf("size %d B, want at least 1", int64(r.Size))
	case r.Start < 0 || r.Start == unit.Never:
		return fmt.Errorf("start %d ps, want a time within the run", int64(r.Start))
	case r.Outcome.Timed() && (r.FCT < 1 || r.FCT == unit.Never):
		return fmt.Errorf("completion time %d ps of a %v flow, want at least 1", int64(r.FCT), r.Outcome)
	case !r.Outcome.Timed() && r.FCT != unit.Never:
		return fmt.Errorf("completion time %d ps, want none for a flow that is %v", int64(r.FCT), r.Outcome)
	case r.Ideal < 1:
		return fmt.Errorf("ideal completion time %d ps, want at least 1", int64(r.Ideal))
	case r.Ideal == unit.Never && r.Outcome != Unreachable:
		return fmt.Errorf("no ideal completion time, want one for a flow that is %v", r.Outcome)
	}
	return nil
}
