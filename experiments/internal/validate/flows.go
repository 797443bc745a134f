package validate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"pintlab/experiments/results/stats"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/input"
	"pintlab/netsim/route"
	"pintlab/netsim/unit"
	"pintlab/workloads"
)

// flowKey identifies a flow in fct.txt.
type flowKey struct {
	src, dst         uint32
	srcPort, dstPort uint16
}

func keyOf(l *store.FCT) flowKey { return flowKey{l.SrcIP, l.DstIP, l.SrcPort, l.DstPort} }

func (k flowKey) String() string {
	return fmt.Sprintf("%08x to %08x, ports %d and %d", k.src, k.dst, k.srcPort, k.dstPort)
}

// recorded is the content of a fct.txt.
type recorded struct {
	name  string
	lines []store.FCT
	at    map[flowKey]int // index in lines
	text  []byte
}

// readRecorded reads a fct.txt. Each line must belong to a flow of the case, and each flow has at most one line.
func readRecorded(name string, sc *scenario.Scenario) (*recorded, error) {
	text, err := input.ReadFile(name, input.Flows)
	if err != nil {
		return nil, err
	}
	r := &recorded{name: name, at: map[flowKey]int{}, text: text}
	if r.lines, err = store.ReadFCT(bytes.NewReader(text), name); err != nil {
		return nil, err
	}
	if len(r.lines) == 0 {
		return nil, fmt.Errorf("%s: no flows", name)
	}
	flows, err := flowsOf(sc)
	if err != nil {
		return nil, err
	}
	given := make(map[flowKey]*workloads.Flow, len(flows))
	for i := range flows {
		f := &flows[i]
		given[flowKey{route.HostIP(f.Src), route.HostIP(f.Dst), f.SrcPort, f.DstPort}] = f
	}
	numbers := lineNumbers(text)
	flowFile, _ := sc.Workload[0].FromFile()
	var errs []error
	for i := range r.lines {
		l := &r.lines[i]
		bad := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("%s:%d: %s", name, numbers[i], fmt.Sprintf(format, args...)))
		}
		f := given[keyOf(l)]
		before, twice := r.at[keyOf(l)]
		switch {
		case twice:
			bad("the flow from %v is in line %d already", keyOf(l), numbers[before])
		case f == nil:
			bad("no flow from %v in %s", keyOf(l), flowFile)
		case f.Size != l.Size:
			bad("the flow from %v has %d bytes, but %d in %s", keyOf(l), int64(l.Size), int64(f.Size), flowFile)
		case max(f.Start-l.Start, l.Start-f.Start) > startSlack:
			bad("the flow from %v starts at %d ns, but at %v in %s", keyOf(l), l.Start.Nanoseconds(), f.Start, flowFile)
		}
		r.at[keyOf(l)] = i
	}
	return r, joinSome(errs)
}

// startSlack is the largest difference between a flow's start in fct.txt and in flow.txt at which both lines still
// describe the same flow. The published simulator rounds starts to a nanosecond. The comparison of the flows shows
// whether our rounding is the same.
const startSlack = 2 * unit.Nanosecond

// shownErrors is the largest number of errors of a file that are printed.
const shownErrors = 5

func joinSome(errs []error) error {
	if len(errs) > shownErrors {
		more := fmt.Errorf("and %d more", len(errs)-shownErrors)
		errs = append(slices.Clone(errs[:shownErrors]), more)
	}
	return errors.Join(errs...)
}

// flowsOf returns the flows of a scenario whose workload is a file of flows.
func flowsOf(sc *scenario.Scenario) ([]workloads.Flow, error) {
	g, err := sc.Topology.Generator().Build()
	if err != nil {
		return nil, err
	}
	hosts, err := workloads.HostsOf(g)
	if err != nil {
		path, _ := sc.Topology.FromFile()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	w, err := sim.BuildWorkload(sc, hosts)
	if err != nil {
		return nil, err
	}
	source, err := w.Stream(hosts)
	if err != nil {
		return nil, err
	}
	return workloads.Collect(source)
}

// lineNumbers returns the numbers of the lines that are not empty.
func lineNumbers(text []byte) []int {
	var numbers []int
	n := 0
	for line := range bytes.Lines(text) {
		if n++; len(bytes.TrimSpace(line)) > 0 {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// FlowResult is the result of comparing completion times.
type FlowResult struct {
	Flows     int `json:"flows"`     // flows of the recorded run
	Exact     int `json:"exact"`     // flows with the same start, completion time and standalone time
	Differing int `json:"differing"` // number of differing flows among the others
	// MedianError and MaxError are relative errors of the completion times: the difference between ours and theirs,
	// divided by theirs. If a flow has not finished in our run, its error is infinite. JSON has no number for this, so
	// the two are -1.
	MedianError float64 `json:"median_relative_error"`
	MaxError    float64 `json:"max_relative_error"`
	Identical   bool    `json:"identical"`       // fct.txt is the same, byte by byte
	First       []Flow  `json:"first,omitempty"` // up to ten of the differing flows, in the order in which they ended
}

// notFinished stands for our times of a flow that has not finished in our run.
const notFinished = -1

// Flow is a flow of both runs. Times are in ns; ours are notFinished if it has not finished.
type Flow struct {
	SrcIP          string `json:"src" col:"src"`
	DstIP          string `json:"dst" col:"dst"`
	SrcPort        int    `json:"src_port" col:"src_port"`
	DstPort        int    `json:"dst_port" col:"dst_port"`
	Size           int64  `json:"size_bytes" col:"size_bytes"`
	Start          int64  `json:"start_ns" col:"start_ns"`
	StartOurs      int64  `json:"start_ns_ours" col:"start_ns_ours"`
	FCT            int64  `json:"fct_ns" col:"fct_ns"`
	FCTOurs        int64  `json:"fct_ns_ours" col:"fct_ns_ours"`
	Standalone     int64  `json:"standalone_ns" col:"standalone_ns"`
	StandaloneOurs int64  `json:"standalone_ns_ours" col:"standalone_ns_ours"`
}

func (f *Flow) exact() bool {
	return f.Start == f.StartOurs && f.FCT == f.FCTOurs && f.Standalone == f.StandaloneOurs
}

// error returns |ours - theirs| / theirs.
func (f *Flow) error() float64 {
	if f.FCTOurs == notFinished {
		return math.Inf(1)
	}
	return math.Abs(float64(f.FCTOurs-f.FCT)) / float64(f.FCT)
}

// pair matches the flows of both runs and returns them in the order of the recorded run. If a flow has finished only
// in our run, the recording is incomplete, and pair returns an error.
func (r *recorded) pair(ours *store.Flows) ([]Flow, error) {
	list := make([]Flow, len(r.lines))
	for i := range r.lines {
		l := &r.lines[i]
		list[i] = Flow{
			SrcIP: fmt.Sprintf("%08x", l.SrcIP), DstIP: fmt.Sprintf("%08x", l.DstIP),
			SrcPort: int(l.SrcPort), DstPort: int(l.DstPort), Size: int64(l.Size),
			Start: l.Start.Nanoseconds(), StartOurs: notFinished,
			FCT: l.FCT.Nanoseconds(), FCTOurs: notFinished,
			Standalone: l.Standalone.Nanoseconds(), StandaloneOurs: notFinished,
		}
	}
	var errs []error
	for o := range ours.All() {
		if o.Outcome != store.Finished {
			continue
		}
		l := store.FCTOf(o)
		i, ok := r.at[keyOf(&l)]
		if !ok {
			errs = append(errs, fmt.Errorf("%s: there is no line for flow %d from %v, although the flow ends at %d "+
				"ns in our run",
				r.name, o.ID, keyOf(&l), (l.Start+l.FCT).Nanoseconds()))
			continue
		}
		f := &list[i]
		f.StartOurs, f.FCTOurs = l.Start.Nanoseconds(), l.FCT.Nanoseconds()
		f.StandaloneOurs = l.Standalone.Nanoseconds()
	}
	return list, joinSome(errs)
}

func compareFlows(list []Flow) FlowResult {
	r := FlowResult{Flows: len(list)}
	errs := make([]float64, len(list))
	var differing []Flow
	for i := range list {
		f := &list[i]
		errs[i] = f.error()
		if f.exact() {
			r.Exact++
		} else {
			differing = append(differing, *f)
		}
	}
	r.Differing = len(differing)
	slices.SortStableFunc(differing, func(a, b Flow) int { return cmp.Compare(a.Start+a.FCT, b.Start+b.FCT) })
	r.First = differing[:min(len(differing), 10)]
	slices.Sort(errs)
	r.MedianError, r.MaxError = forJSON(stats.Percentile(errs, 0.5)), forJSON(errs[len(errs)-1])
	return r
}

// forJSON converts a relative error for FlowResult: an infinite error becomes -1.
func forJSON(err float64) float64 {
	if math.IsInf(err, 1) {
		return -1
	}
	return err
}

// BucketPair is a bucket of flows of about the same size in both runs. Slowdowns are computed as in the scripts of that
// simulator.
type BucketPair struct {
	Share   float64 `json:"share"` // share of the flows, up to the end of the bucket
	MaxSize int64   `json:"max_size_bytes"`
	Flows   int     `json:"flows"`
	P50     float64 `json:"p50"`
	P50Ours float64 `json:"p50_ours"`
	P95     float64 `json:"p95"`
	P95Ours float64 `json:"p95_ours"`
}

// linesOf returns the lines of fct.txt for the flows that have finished.
func linesOf(flows *store.Flows) []store.FCT {
	var lines []store.FCT
	for r := range flows.All() {
		if r.Outcome == store.Finished {
			lines = append(lines, store.FCTOf(r))
		}
	}
	return lines
}

// table returns the slowdown by size, over the whole run. Only the flows to the most frequent destination port count.
func table(lines []store.FCT) ([]stats.Bucket, error) {
	ports := map[uint16]int{}
	var port uint16
	for i := range lines {
		p := lines[i].DstPort
		if ports[p]++; ports[p] > ports[port] || ports[p] == ports[port] && p < port {
			port = p
		}
	}
	return stats.HPCCScripts(lines, port, unit.Never)
}

// pairBuckets pairs the buckets of both runs. If there are too few flows, it returns no buckets and the reason.
func pairBuckets(theirs, ours []store.FCT) ([]BucketPair, string) {
	a, err := table(theirs)
	if err != nil {
		return nil, err.Error()
	}
	b, err := table(ours)
	if err != nil {
		return nil, err.Error()
	}
	pairs := make([]BucketPair, len(a))
	for i := range a {
		pairs[i] = BucketPair{
			Share: a[i].To, MaxSize: int64(a[i].MaxSize), Flows: a[i].N,
			P50: a[i].P50, P50Ours: b[i].P50, P95: a[i].P95, P95Ours: b[i].P95,
		}
	}
	return pairs, ""
}

// sameText reports whether our fct.txt has the same text as the recorded one.
func sameText(want []byte, ours *store.Flows) bool {
	var b strings.Builder
	return store.WriteFCT(&b, ours) == nil && b.String() == string(want)
}
