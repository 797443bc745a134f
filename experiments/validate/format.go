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

// Format describes the lines of acks.txt of one congestion control.
type Format struct{ *recording.Format }

// formatOf returns the format of a run of the published simulator.
func formatOf(sc *scenario.Scenario) (*Format, error) {
	c, ok := sc.CC.Params.(recording.Control)
	if !ok {
		return nil, fmt.Errorf("cc.kind = %s: there are no recordings of it", sc.CC.Kind)
	}
	return &Format{c.Recorded(slices.Contains(sc.Telemetry.System().Gives(), telemetry.PerHop))}, nil
}

// kind returns the kind of the lines that begin with a word, or nil.
func (f *Format) kind(word string) *recording.Kind {
	for i := range f.Kinds {
		if f.Kinds[i].Word == word {
			return &f.Kinds[i]
		}
	}
	return nil
}

// words returns the words by which lines begin.
func (f *Format) words() string {
	list := lists.Map(f.Kinds, func(k recording.Kind) string { return k.Word })
	return strings.Join(list, " or ")
}
