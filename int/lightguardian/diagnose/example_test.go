package diagnose_test

import (
	"fmt"

	"pintlab/int/lightguardian/diagnose"
	"pintlab/netsim"
)

// view has the counts of three switches: 100 packets passed the first two, and none passed the third.
type view struct{}

func (view) Intervals() (from, to int) { return 0, 4 }

func (view) Row(interval int, at netsim.NodeID, flow uint64) diagnose.Row {
	if at == 12 {
		return diagnose.Row{Known: true}
	}
	return diagnose.Row{Known: true, Packets: 25}
}

func (view) Strays(*diagnose.Victim) []netsim.NodeID { return nil }

// A flow times out. Where do its packets vanish?
func ExampleLocate() {
	victim := diagnose.Victim{Flow: 1, Symptom: diagnose.Timeout, Source: 0, Path: []netsim.NodeID{10, 11, 12},
		Life: [2]int{0, 4}, Sent: 100, Destination: 1}
	adjacent := func(a, b netsim.NodeID) bool { return true }
	found, ok := diagnose.Locate(&victim, view{}, diagnose.Default(), adjacent)
	fmt.Println(ok, found.Rule, found.Switches, "after", found.Last)
	// Output: true blackhole [12] after 11
}
