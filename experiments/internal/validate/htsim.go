package validate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/progress"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// scenarioText holds the settings that all recorded runs share.
const scenarioText = `
name: htsim
topology: {kind: htsim, path: none.topo}
workload: [{kind: file, path: none.cm, start_unit: us}]
cc: {kind: uet}
`

// htsimJob is one of our runs.
type htsimJob struct {
	c       *HTSimCase
	v       *htsimVariant
	seed    uint64
	numbers htsimNumbers
	flows   [][2]int64
	acks    []string // in the format of a trace
	err     error
}

// RunHTSim compares cases. It returns a row for each compared number, and a row for each pair of variants that our
// runs order differently from the recorded runs.
func RunHTSim(ctx context.Context, cases []HTSimCase, seeds int, by study.Runner) ([]HTSimRow, error) {
	all := study.Study{Seeds: campaign.Seeds(1, seeds)}
	for i := range cases {
		for k := range cases[i].Variants {
			all.Cells = append(all.Cells, cases[i].cell(k))
		}
	}
	done, err := all.Run(ctx, by)
	if err != nil {
		return nil, err
	}
	var rows []HTSimRow
	var errs []error
	for i := range cases {
		c := &cases[i]
		ours := map[string][]htsimNumbers{}
		for k := range c.Variants {
			v := &c.Variants[k]
			for _, j := range study.Made[*htsimJob](done, c.cell(k)) {
				if j.err != nil {
					errs = append(errs, fmt.Errorf("%s %s: %w", c.Name, v.Name, j.err))
					continue
				}
				ours[v.Name] = append(ours[v.Name], j.numbers)
				if c.bands.exact {
					rows = append(rows, exactHTSim(j))
					rows = append(rows, traced(j)...)
				}
			}
			if len(ours[v.Name]) > 0 {
				rows = append(rows, c.bands.compare(c, v, ours[v.Name])...)
			}
		}
		rows = append(rows, c.bands.order(c, ours)...)
	}
	return rows, errors.Join(errs...)
}

// cell returns the runs of a variant as a cell of a study. An error in one run does not stop the other runs.
func (c *HTSimCase) cell(variant int) study.Cell {
	v := &c.Variants[variant]
	return study.Cell{Case: c.Dir, Scheme: v.Name, Label: c.Name + " " + v.Name, Once: c.bands.exact,
		Work: func(ctx context.Context, seed uint64, _ *progress.Task) (any, error) {
			j := &htsimJob{c: c, v: v, seed: seed}
			j.err = j.simulate(ctx)
			return j, ctx.Err()
		}}
}

// scenario returns the scenario of a variant.
func (v *htsimVariant) scenario(ctx context.Context, seed uint64) (scenario.Scenario, error) {
	sc, err := scenario.Parse([]byte(scenarioText), "htsim")
	if err != nil {
		return sc, err
	}
	set := slices.Concat(v.Settings, []string{fmt.Sprintf("seed=%d", seed)})
	// Degraded links (-failed) change neither the base RTT nor the queues and marks of other links.
	if i := slices.IndexFunc(set, func(s string) bool { return strings.HasPrefix(s, "topology.degraded=") }); i >= 0 {
		healthy, err := sc.With(slices.Delete(slices.Clone(set), i, i+1)...)
		if err != nil {
			return sc, err
		}
		choices, err := sim.Choices(ctx, healthy)
		if err != nil {
			return sc, err
		}
		for _, x := range choices {
			set = append(set, x.Key+"="+x.Value)
		}
	}
	return sc.With(set...)
}

// simulate runs a variant with a seed.
func (j *htsimJob) simulate(ctx context.Context) error {
	sc, err := j.v.scenario(ctx, j.seed)
	if err != nil {
		return err
	}
	var o sim.Options
	if j.v.trace != nil {
		o.Trace = func(now unit.Time, s *transport.Step) {
			j.acks = append(j.acks, traceLine(sc.Transport.Payload, now, s))
		}
	}
	r, err := sim.Run(ctx, sc, o)
	if err != nil {
		return err
	}
	rtx := 0.0
	for f := range r.Flows.All() {
		if f.Outcome != store.Finished {
			return fmt.Errorf("seed %d: flow %d is %v", j.seed, f.ID, f.Outcome)
		}
		rtx += float64(f.Retransmitted)
		round := func(t unit.Time) int64 { return int64((t + unit.Nanosecond/2) / unit.Nanosecond) }
		j.flows = append(j.flows, [2]int64{round(f.Start), round(f.Start+f.FCT) - round(f.Start)})
	}
	j.numbers = numbersOf(j.flows)
	n := &j.numbers
	n.Rtx, n.Trims, n.Drops = rtx, float64(r.Counters.Trimmed), float64(r.Counters.Dropped)
	n.ECN = float64(r.Summary.Marks)
	return nil
}

// exactHTSim compares the flows of a run one by one, in the order of their starts.
func exactHTSim(j *htsimJob) HTSimRow {
	slices.SortFunc(j.flows, func(a, b [2]int64) int { return int(a[0] - b[0]) })
	r := HTSimRow{Case: j.c.Name, Variant: j.v.Name, Number: "flows to the ns", Recorded: float64(len(j.v.flows))}
	for i := range min(len(j.flows), len(j.v.flows)) {
		ours, theirs := j.flows[i], j.v.flows[i]
		if ours == theirs {
			r.Ours++
		}
		if theirs[1] > 0 {
			if e := float64(ours[1])/float64(theirs[1]) - 1; e*e > r.Error*r.Error {
				r.Error = e
			}
		}
	}
	r.From, r.To = r.Recorded, r.Recorded
	r.judge(r.Ours == r.Recorded)
	return r
}

// traceLine formats an ACK as a line of a trace: the fields of the ACK and the window after its arrival.
func traceLine(segment unit.Bytes, now unit.Time, s *transport.Step) string {
	ns := func(t unit.Time) float64 { return float64(t) / float64(unit.Nanosecond) }
	a, marked, rtt, delay := s.Ack, 0, unit.Time(0), unit.Time(s.Term("delay"))
	if a == nil || a.Nack {
		return "no ACK"
	}
	if a.Marked {
		marked = 1
	}
	if a.HasRTT {
		rtt, delay = a.RTT, a.RTT-unit.Time(s.Term("base_rtt"))
	}
	return fmt.Sprintf("%d,%d,%.2f,%d,%.0f,%d,%.2f,%d,%d,%.2f", s.Flow.Src, s.Flow.Dst, ns(now),
		(a.Seq+int64(segment)-1)/int64(segment), s.Term("window"), a.Flight, ns(delay), a.Acked, marked, ns(rtt))
}

// traced compares the ACKs of a run one by one.
func traced(j *htsimJob) []HTSimRow {
	if j.v.trace == nil {
		return nil
	}
	r := HTSimRow{Case: j.c.Name, Variant: j.v.Name, Number: "ACKs as in the trace", Recorded: float64(len(j.v.trace))}
	for i := range min(len(j.acks), len(j.v.trace)) {
		if j.acks[i] == j.v.trace[i] {
			r.Ours++
		}
	}
	r.From, r.To = r.Recorded, r.Recorded
	r.judge(r.Ours == r.Recorded && len(j.acks) == len(j.v.trace))
	return []HTSimRow{r}
}

// HTSimFile is the name of the file of rows.
const HTSimFile = "htsim.csv"

// SaveHTSim writes rows to a file.
func SaveHTSim(file string, rows []HTSimRow) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	t, err := columns.Of(rows)
	if err != nil {
		return err
	}
	return t.SaveCSV(file)
}
