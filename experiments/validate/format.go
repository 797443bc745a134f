package validate

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/scenario"
	"pintlab/internal/lists"
	"pintlab/netsim/telemetry"
	"pintlab/transport/recording"
)

// ackFormat describes the lines of acks.txt of one congestion control.
type ackFormat struct{ *recording.Format }

// formatOf returns the format of a run of the published simulator.
func formatOf(sc *scenario.Scenario) (*ackFormat, error) {
	c, ok := sc.CC.Params.(recording.Control)
	if !ok {
		return nil, fmt.Errorf("cc.kind = %s: there are no recordings of it", sc.CC.Kind)
	}
	return &ackFormat{c.Recorded(slices.Contains(sc.Telemetry.System().Gives(), telemetry.PerHop))}, nil
}

// kind returns the kind of the lines that begin with a word, or nil.
func (f *ackFormat) kind(word string) *recording.Kind {
	for i := range f.Kinds {
		if f.Kinds[i].Word == word {
			return &f.Kinds[i]
		}
	}
	return nil
}

// words returns the words by which lines begin.
func (f *ackFormat) words() string {
	list := lists.Map(f.Kinds, func(k recording.Kind) string { return k.Word })
	return strings.Join(list, " or ")
}
