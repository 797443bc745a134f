package validate

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/netsim/telemetry"
	"pintlab/transport/ns3"
)

// ackFormat describes the lines of acks.txt of one congestion control.
type ackFormat struct{ *ns3.Format }

// formatOf returns the format of a run of the published simulator.
func formatOf(sc *scenario.Scenario) (*ackFormat, error) {
	c, ok := sc.CC.Params.(ns3.Recorder)
	if !ok {
		return nil, fmt.Errorf("cc.kind = %s: there are no recordings of this congestion control", sc.CC.Kind)
	}
	return &ackFormat{c.Recorded(slices.Contains(sc.Telemetry.System().Gives(), telemetry.PerHop))}, nil
}

// kind returns the kind of the lines that begin with a word, or nil.
func (f *ackFormat) kind(word string) *ns3.Kind {
	for i := range f.Kinds {
		if f.Kinds[i].Word == word {
			return &f.Kinds[i]
		}
	}
	return nil
}

// words lists the words with which lines may begin.
func (f *ackFormat) words() string {
	list := lists.Map(f.Kinds, func(k ns3.Kind) string { return k.Word })
	return strings.Join(list, " or ")
}
