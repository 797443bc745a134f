package scenario

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// OutputCapture is the name of the file of captured packets.
const OutputCapture = "capture.pcapng"

// Capture is the recording of packets when their transmission begins (capture.pcapng). It has no effect on results. A
// selection that can match nothing is an error. If a capture records no packet, the run has a note.
type Capture struct {
	// Whether packets are captured.
	Enabled bool `yaml:"enabled" default:"false" omit:"default"`
	// Ports to capture: 16-3 is the port of node 16 towards node 3; all stands for all ports of the selected nodes.
	Ports []string `yaml:"ports" when:"enabled=true" default:"all" range:">=1"`
	// Nodes whose ports are captured: switches, hosts, all, numbers (3) and ranges (16-19).
	Nodes []string `yaml:"nodes" when:"enabled=true & ports=[all]" default:"all" range:">=1" draw:"$nodes"`
	// Numbers of flows as in flows.csv: all, or numbers and ranges. Only all includes reports and PFC frames.
	Flows []string `yaml:"flows" when:"enabled=true" default:"all" range:">=1" draw:"[all]|[all]|[0-3]"`
	// Windows of time, such as [0s-1ms, 3ms-4ms]; the end of a window does not belong to it. all: the whole run.
	Times []string `yaml:"times" when:"enabled=true" default:"all" range:">=1"`
	// Bytes of packets in the file, without the headers of the file. When there are more, the oldest packets are
	// removed.
	Ring unit.Bytes `yaml:"ring" when:"enabled=true" default:"64MiB" range:">=4KiB <=64GiB" draw:"3*64MiB|16KiB"`
	// Bytes of each packet that are recorded.
	Snap unit.Bytes `yaml:"snap" when:"enabled=true" default:"256B" range:">=64B <=65535B" draw:"256B|64B|65535B"`
}

// Group implements schema.Grouped.
func (Capture) Group(name string) []string { return groups(name) }

// Span is the time from From (included) to To (excluded).
type Span struct{ From, To unit.Time }

// ParseSpan reads a window of time ("0s-1ms").
func ParseSpan(word string) (s Span, err error) {
	from, to, _ := strings.Cut(word, "-")
	a, errA := unit.ParseTime(from)
	b, errB := unit.ParseTime(to)
	if errA != nil || errB != nil || a < 0 || a >= b {
		return s, fmt.Errorf("%q: want two times, the earlier first, such as 0s-1ms", word)
	}
	return Span{a, b}, nil
}

func (r *Run) checkCapture(c *schema.Checker) {
	k := &r.Capture
	if !k.Enabled {
		return
	}
	checkList(c, "run.capture.ports", k.Ports, func(w string) error { _, _, err := ParsePort(w); return err }, All)
	checkList(c, "run.capture.nodes", k.Nodes, isRange, Switches, Hosts, All)
	checkList(c, "run.capture.flows", k.Flows, isRange, All)
	checkList(c, "run.capture.times", k.Times, func(w string) error {
		s, err := ParseSpan(w)
		if err == nil && s.From >= r.Until {
			err = fmt.Errorf("%q has no effect: the run ends earlier, at run.until = %v", w, r.Until)
		}
		return err
	}, All)
}

func isRange(w string) error { _, err := ParseRange(w); return err }

// checkList reports words of a list that cannot be parsed or that occur twice. Each word in alone is accepted only if
// it is the single entry of the list.
func checkList(c *schema.Checker, key string, words []string, parse func(string) error, alone ...string) {
	seen := map[string]bool{}
	for _, w := range words {
		switch err := parse(w); {
		case seen[w]:
			c.Fail(key, w+" is listed twice")
		case slices.Contains(alone, w) && len(words) > 1:
			c.Fail(key, w+" stands alone")
		case slices.Contains(alone, w):
		case err != nil:
			c.Fail(key, fmt.Sprintf("%v, or %s", err, strings.Join(alone, ", ")))
		}
		seen[w] = true
	}
}
