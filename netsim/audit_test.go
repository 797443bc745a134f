//go:build invariants

package netsim_test

import (
	"fmt"
	"strings"
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/netsimtest"
	"pintlab/netsim/unit"
)

// The test breaks each rule in turn. An audit before each break finds nothing, and an audit after it finds the broken
// rule. The state is the same as in TestPauseAndResumeByHand at 2.8 us: packets wait at the switch, others are in
// flight to the switch, and host 0 is paused.
func TestAuditFindsWhatIsBroken(t *testing.T) {
	want := map[string]string{
		"a packet ends twice":  "ends twice",
		"a packet is lost":     "are free and",
		"an arrival is late":   "its event is at",
		"a free packet waits":  "is in two places",
		"flow miscounted":      "flow slot 0 has",
		"counters":             "by the counters",
		"queue bytes":          "bytes and has counted",
		"classes":              "has packets of the classes",
		"asleep":               "will not look",
		"memory of the switch": "has counted",
		"pause forgotten":      "paused true by the switch, false by the frames",
		"time goes back":       "time goes back",
	}
	broken := func(name string) (message string) {
		n := netsimtest.New(t, slowReceiver(), netsimtest.Options{Config: fixedPause})
		sends := make([]netsimtest.Send, 40)
		for i := range sends {
			sends[i] = netsimtest.Send{Src: 0, Dst: 2, Size: 1000}
		}
		netsimtest.NewScript(t, n, sends)
		n.Engine.Run(2800 * unit.Nanosecond)
		n.Engine.Look()
		wait, way := n.Between(3, 2), n.Between(0, 3)
		defer func() { message = fmt.Sprint(recover()) }()
		netsim.Faults(wait, way)[name](n.Engine)
		n.Engine.Look()
		return ""
	}
	for name := range netsim.Faults(0, 0) {
		if want[name] == "" {
			t.Errorf("%s: not tested", name)
		}
	}
	for name, want := range want {
		if got := broken(name); !strings.Contains(got, "invariant broken: ") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q in it", name, got, want)
		}
	}
}
