package pint

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/scenario"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/pint/approx"
	"pintlab/pint/latency"
	"pintlab/plots"
)

// Fig9 is Figure 9 of PINT (§6.2). It shows the error of latency quantiles that are estimated from digests.
//
// The PINT paper reports the relative error of the median and the tail with 4 and 8 bits, with a KLL sketch per hop
// and without, under web search and Hadoop. Row 1 shows the error against the number of packets, with a sketch of 100
// digests. Row 2 shows the error against the size of the sketch, after 500 packets. The paper prints no numbers. We
// print our numbers, with the bound of Theorem 1 on their rank error.
//
// We also find the frequent codes at a hop with Space-Saving, and compare the errors with Theorem 2 (row 3 of
// rows.csv).
//
// The latencies are from every packet at every hop of our runs: HPCC over PINT on the fat tree of 320 servers at 50 %
// load. A latency is the time that a packet spends in the switch (PINT, Table 1). It is the sum of the time in the
// queue and `pipeline`, the time through an empty switch. The simulated switches have no such time, so we add it. Row
// 4 of rows.csv shows the effect of `pipeline`. Without this time, most latencies are 0 and count as 1 ns, so that
// relative errors do not converge.
//
// The program that PINT's authors published combines the latencies at all hops into a single stream, so that z
// packets are z samples of this stream. Row 5 of rows.csv follows this reading. The claims about row 5 come first.
var Fig9 = figure.Of[quantileScale, quantileRow]{
	Name:    "pint/fig9",
	Files:   files,
	Scales:  quantileScales,
	Measure: measureQuantiles,
	Claims: map[string]func(*figure.Claim, []quantileRow) figure.Finding{
		"stable": stable, "settles": settles, "zeros": zeros, "cheap sketch": sketchCostsLittle,
		"small sketch": smallSketch, "more bits": moreBits, "rank error": bounded, "frequent codes": commonCodes,
	},
	Tables: quantileTables,
	Draw:   drawQuantiles,
}.Figure()

// quantileRow is a line of rows.csv: a point of the figure.
type quantileRow struct {
	// 1 or 2 as in the figure; 3: frequent codes, about which the PINT paper has a proof but no drawing; 4: effect of
	// Pipeline; 5: one stream of all latencies
	Part     int     `col:"row"`
	Workload string  `col:"workload"`
	Quantile float64 `col:"quantile"` // in row 3: smallest share of a frequent code
	Bits     int     `col:"bits" unit:"b"`
	Sketch   int     `col:"sketch" unit:"digests"` // 0: all samples are kept; in row 3: number of counters
	Packets  int     `col:"packets"`
	Error    float64 `col:"error" unit:"%"`     // mean of |estimate − truth| / truth
	StdErr   float64 `col:"std_error" unit:"%"` // standard error of the mean, assuming that flows are independent
	// mean distance of the estimate's rank from the quantile, among the codes of all packets; in row 3: mean of the
	// largest error of a code's share
	Rank float64 `col:"rank_error"`
	// bound of Theorem 1 (in row 3: Theorem 2) for the longest paths, which holds with probability 0.9
	Bound    float64 `col:"rank_bound"`
	Count    int     `col:"estimates"`           // hops of flows
	Missing  int     `col:"missing"`             // hops without a sample in any packet
	Frequent int     `col:"frequent"`            // in row 3: number of frequent codes
	Found    int     `col:"found"`               // in row 3: number of frequent codes that were reported
	Broken   int     `col:"broken"`              // in row 3: hops at which Theorem 2 fails (allowed: a share delta)
	Epsilon  float64 `col:"code_error" unit:"%"` // ε of the code for latencies
	Pipeline float64 `col:"pipeline" unit:"ns"`  // time through an empty switch, part of every latency
}

// quantileScale contains the settings of a scale.
type quantileScale struct {
	web, hadoop unit.Time // arrivals
	packets     []int
	digests     []int
	rowLength   int
	samplings   int // repetitions for each flow, with other hashes
	draws       int // repetitions for the stream of all latencies
}

var quantileScales = map[figure.Scale]quantileScale{
	figure.Smoke:  {20 * us, 10 * us, []int{50, 100, 200}, []int{10, 50, 100}, 200, 1, 50},
	figure.Laptop: {3000 * us, 3000 * us, pint.Fig9().Packets, pint.Fig9().Digests, 500, 3, 2000},
	figure.Paper:  {5000 * us, 5000 * us, pint.Fig9().Packets, pint.Fig9().Digests, 500, 5, 10_000},
}

func (z quantileScale) String() string {
	return fmt.Sprintf("1 seed, arrivals for %v (web search) and %v (Hadoop), the first %d packets of each flow that "+
		"has them, sampled %d times",
		z.web, z.hadoop, z.longest(), z.samplings)
}

// longest returns the largest number of packets of a flow that the figure uses. All rows except row 5 exclude shorter
// flows, so that all points of these rows cover the same flows.
func (z quantileScale) longest() int { return max(z.packets[len(z.packets)-1], z.rowLength) }

// pipeline is the time through a switch with empty queues. pipelines lists the values of this time in row 4: none,
// the transmission time of 1 KB at 400 Gb/s and at 100 Gb/s, and times of real switches.
const pipeline = 500 * unit.Nanosecond

var pipelines = []unit.Time{0, 20 * unit.Nanosecond, 80 * unit.Nanosecond, pipeline, 1 * us}

// maxHops is the largest number of switches on a path of the fat tree.
const maxHops = 5

func measureQuantiles(ctx context.Context, j *figure.Job, z quantileScale) ([]quantileRow, error) {
	if err := j.Fixed("seed", "faults", "workload.0.duration"); err != nil {
		return nil, err
	}
	e := pint.Fig9()
	e.Packets, e.Digests, e.RowLength, e.Seed, e.Seeds = z.packets, z.digests, z.rowLength, j.Seed, z.samplings
	s := study.Study{Seeds: j.SeedList(1), Alone: true}
	windows := []unit.Time{z.web, z.hadoop}
	for i, w := range []pint.Workload{pint.Web, pint.Hadoop} {
		c := pint.Case{Workload: w, Scheme: pint.PINT, Load: 50, Arrival: windows[i]}.Cell()
		s.Cells = append(s.Cells, study.Watched(c, j.Set,
			func(ctx context.Context, sc scenario.Scenario, show study.Progress) (traced, error) {
				_, traces, err := pint.Latencies(ctx, sc, z.longest(), show)
				return traced{sc, traces}, err
			}))
	}
	results, err := s.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	var rows []quantileRow
	for i, w := range workloads {
		runs := study.Made[traced](results, s.Cells[i])
		if i == 0 {
			quantileSettings(j, &runs[0].scenario)
		}
		n := 0
		for range all(runs, z.longest()) {
			n++
		}
		j.Setting("flows of "+w, "", "%d with %d packets or more", n, z.longest())
		if n == 0 {
			return nil, fmt.Errorf("%s: no flow has %d packets", w, z.longest())
		}
		take := func(e *pint.LatencyExperiment, pipeline unit.Time, keep func(*quantileRow) bool) error {
			points, err := e.Run(pint.Floor(all(runs, z.longest()), pipeline, e.Low))
			for _, p := range points {
				r, bad := rowOf(w, &p)
				if err = errors.Join(err, bad); keep(&r) {
					r.Pipeline = float64(pipeline / unit.Nanosecond)
					rows = append(rows, r)
				}
			}
			return err
		}
		if err := take(&e, pipeline, func(*quantileRow) bool { return true }); err != nil {
			return nil, err
		}
		by := e
		by.Bits, by.Digests, by.Packets = []int{8, 16}, nil, []int{e.Packets[0], e.Packets[len(e.Packets)-1]}
		for _, empty := range pipelines {
			if err := take(&by, empty, func(r *quantileRow) bool {
				r.Part = 4
				return r.Sketch == 0
			}); err != nil {
				return nil, err
			}
		}
		pool, err := z.pool(e, w, runs)
		if err != nil {
			return nil, err
		}
		rows = append(rows, pool...)
		common, err := frequent(&e).Run(pint.Floor(all(runs, z.longest()), pipeline, e.Low))
		if err != nil {
			return nil, err
		}
		for _, p := range common {
			r, err := frequentRow(w, &p)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	j.Setting("time through an empty switch", "", "%v, part of every latency", pipeline)
	j.Footnote("320-server fat tree, 50 %% load, HPCC over PINT, %s, arrivals for %v (web search) and %v (Hadoop), "+
		"%v through an empty switch; mean over flows and hops, bars: 95 %% intervals",
		figure.Count(len(s.Seeds), "seed"), z.web, z.hadoop, pipeline)
	return rows, nil
}

// pool measures row 5, in which the latencies of all packets at all hops are one stream.
func (z quantileScale) pool(e pint.LatencyExperiment, workload string, runs []traced) (rows []quantileRow, err error) {
	e.Bits, e.Digests = []int{4, 8, 16}, nil
	points, err := e.Pool(pint.Floor(all(runs, 1), pipeline, e.Low), z.draws)
	for i := range points {
		r, bad := rowOf(workload, &points[i])
		r.Part, r.Bound, r.Pipeline = 5, math.NaN(), float64(pipeline/unit.Nanosecond)
		rows, err = append(rows, r), errors.Join(err, bad)
	}
	return rows, err
}

func quantileSettings(j *figure.Job, sc *scenario.Scenario) {
	pint.Settings(j, sc)
	for _, bits := range []int{4, 8} {
		j.Setting(fmt.Sprintf("code of %d bits", bits), "", "%v to %v, ε = %.3g", approx.LatencyLow, approx.LatencyHigh,
			epsilon(bits))
	}
}

// epsilon returns the ε of the code for latencies.
func epsilon(bits int) float64 {
	c, err := approx.Cover(float64(approx.LatencyLow), float64(approx.LatencyHigh), bits)
	if err != nil {
		panic(err) // the constants are the figure's own, so they are valid
	}
	return math.Sqrt(c.Base) - 1
}

// traced is a run and the latencies of its packets.
type traced struct {
	scenario scenario.Scenario
	*pint.Traces
}

// all returns the flows of all runs.
func all(runs []traced, packets int) iter.Seq[pint.LatencyTrace] {
	return func(yield func(pint.LatencyTrace) bool) {
		for _, t := range runs {
			for tr := range t.All(packets) {
				if !yield(tr) {
					return
				}
			}
		}
	}
}

// theta is the smallest share of a frequent code. delta is the probability with which the bounds of the theorems may
// fail.
const theta, delta = 0.3, 0.1

// frequent measures row 3, on the flows of the other rows.
func frequent(e *pint.LatencyExperiment) *pint.FrequentExperiment {
	last := e.Packets[len(e.Packets)-1]
	return &pint.FrequentExperiment{
		Bits: e.Bits, Packets: []int{last / 5, last / 2, last}, Counters: []int{5, 10, 20}, Theta: theta, Delta: delta,
		Low: e.Low, High: e.High, Seeds: e.Seeds, Seed: e.Seed,
	}
}

func frequentRow(workload string, p *pint.FrequentPoint) (quantileRow, error) {
	g, err := latency.Theorem2(p.Packets, maxHops, p.Bits, p.Counters, delta)
	return quantileRow{
		Part: 3, Workload: workload, Quantile: theta, Bits: p.Bits, Sketch: p.Counters, Packets: p.Packets,
		Error: math.NaN(), StdErr: math.NaN(), Rank: p.Error, Bound: g.Total(), Count: p.Count, Missing: p.Missing,
		Frequent: p.Frequent, Found: p.Found, Broken: p.Broken, Epsilon: 100 * epsilon(p.Bits),
		Pipeline: float64(pipeline / unit.Nanosecond),
	}, err
}

func rowOf(workload string, p *pint.LatencyPoint) (quantileRow, error) {
	g, err := latency.Theorem1(p.Packets, maxHops, p.Digests, delta)
	return quantileRow{
		Part: p.Row, Workload: workload, Quantile: p.Quantile, Bits: p.Bits, Sketch: p.Digests, Packets: p.Packets,
		Error: 100 * p.Mean, StdErr: 100 * p.StdErr, Rank: p.Rank, Bound: g.Total(), Count: p.Count, Missing: p.Missing,
		Epsilon: 100 * epsilon(p.Bits),
	}, err
}

var (
	workloads = []string{pint.Web.Name, pint.Hadoop.Name}
	quantiles = []float64{0.5, 0.99}
	widths    = []int{4, 8}
)

// curve returns the rows of a curve, in the order of the x axis. `sketch` selects the curve with a sketch or the
// curve without. In part 2, the curve without a sketch has a single point.
func curve(rows []quantileRow, part int, workload string, quantile float64, bits int, sketch bool) []quantileRow {
	return figure.Pick(rows, func(r *quantileRow) bool {
		return r.Part == part && r.Workload == workload && r.Quantile == quantile && r.Bits == bits &&
			(r.Sketch > 0) == sketch && r.Count > 0
	})
}

// each calls f for every panel (workload and quantile) and every width of the digest.
func each(f func(workload string, quantile float64, bits int)) {
	for _, w := range workloads {
		for _, q := range quantiles {
			for _, b := range widths {
				f(w, q, b)
			}
		}
	}
}

func quantileName(quantile float64) string {
	if quantile == 0.5 {
		return "median"
	}
	return fmt.Sprintf("p%g", 100*quantile)
}

// steady is the largest change of a converged error, as a share of ε.
const steady = 0.1

// lines calls f for each curve of the claim's quantile without a sketch. It reports whether such a curve exists for
// every workload and every width of the digest.
func lines(c *figure.Claim, rows []quantileRow, f func(workload string, bits int, line []quantileRow)) bool {
	part, n := 1, 0
	if c.Table == pooled {
		part = 5
	}
	each(func(w string, q float64, bits int) {
		if quantileName(q) != c.Quantity {
			return
		}
		if line := curve(rows, part, w, q, bits, false); len(line) > 0 {
			n++
			f(w, bits, line)
		}
	})
	return n == len(workloads)*len(widths)
}

// pooled is the name of the table in claims about row 5.
const pooled = "one stream"

// errorText formats an error of quantiles, in percent.
func errorText(v float64) string { return number.Fixed(v, 1) + " %" }

// stable compares the error after the largest number of packets with the error after half as many. Both errors are
// from the same flows. The interval of the difference assumes that the errors are independent, so it is too wide.
func stable(c *figure.Claim, rows []quantileRow) figure.Finding {
	confirmed, contradicted, detail, from, to := true, false, "", 0, 0
	ok := lines(c, rows, func(w string, b int, line []quantileRow) {
		last := line[len(line)-1]
		half := figure.Find(line, func(r *quantileRow) bool { return 2*r.Packets == last.Packets })
		if half == nil {
			confirmed = false
			return
		}
		from, to = half.Packets, last.Packets
		change, noise := last.Error-half.Error, 2*math.Hypot(half.StdErr, last.StdErr)
		bound := 100 * steady * epsilon(b)
		confirmed = confirmed && math.Abs(change)+noise <= bound
		contradicted = contradicted || math.Abs(change)-noise > bound
		detail += fmt.Sprintf("%s, b = %d: %s, then %s ± %s points; ", w, b, errorText(half.Error),
			number.Change(change, 2), number.Fixed(noise, 2))
	})
	return sampled(c, rows, figure.Judge(fmt.Sprintf(c.Statement, from, to), ok && confirmed, contradicted,
		"%sall samples kept", detail))
}

// settles compares two errors: the error after the largest number of packets, and the bound on the error of the code
// (Epsilon).
func settles(c *figure.Claim, rows []quantileRow) figure.Finding {
	confirmed, contradicted, detail := true, false, ""
	ok := lines(c, rows, func(w string, b int, line []quantileRow) {
		last := line[len(line)-1]
		confirmed = confirmed && last.Error+2*last.StdErr <= last.Epsilon
		contradicted = contradicted || last.Error-2*last.StdErr > last.Epsilon
		detail += fmt.Sprintf("%s, b = %d: %s after %d packets, %s ± %s after %d; ", w, b, errorText(line[0].Error),
			line[0].Packets, number.Fixed(last.Error, 1), errorText(2*last.StdErr), last.Packets)
	})
	return sampled(c, rows, figure.Judge("", ok && confirmed, contradicted, "%sall samples kept", detail))
}

// sampled adds an explanation to a finding about row 5: the errors with 16 bits. A code of 16 bits is almost exact,
// so these errors come from sampling.
func sampled(c *figure.Claim, rows []quantileRow, f figure.Finding) figure.Finding {
	if c.Table != pooled {
		return f
	}
	var shown []figure.Stored
	for _, w := range workloads {
		for _, r := range curve(rows, 5, w, 0.99, 16, false) {
			shown = append(shown, figure.Stored{
				Quantity: fmt.Sprintf("error of the p99 with 16 bits after %d packets, %s", r.Packets, w),
				Value:    r.Error, Half: 2 * r.StdErr, Unit: "%", Conditions: "row 5 of these rows",
			})
		}
	}
	return f.Because("stream", shown...)
}

// zeros judges whether latencies of 0 cause the error of the median. In row 4, it compares the error without a time
// through an empty switch with the error with the time `pipeline`.
func zeros(_ *figure.Claim, rows []quantileRow) figure.Finding {
	confirmed, contradicted, detail := true, false, ""
	for _, w := range workloads {
		last := func(empty unit.Time) quantileRow {
			list := figure.Pick(curve(rows, 4, w, 0.5, 8, false),
				func(r *quantileRow) bool { return r.Pipeline == float64(empty/unit.Nanosecond) })
			return append(list, make([]quantileRow, 1)...)[max(len(list)-1, 0)]
		}
		without, with := last(0), last(pipeline)
		noise := 2 * math.Hypot(without.StdErr, with.StdErr)
		confirmed = confirmed && without.Error > with.Error+noise
		contradicted = contradicted || without.Error < with.Error-noise
		detail += fmt.Sprintf("%s: %s if an empty switch takes no time, %s if it takes %v; ", w,
			errorText(without.Error), errorText(with.Error), pipeline)
	}
	return figure.Judge("", confirmed, contradicted, "%s8 bits, most packets", detail)
}

// sketchBytes is the size, in bytes, of a sketch that the PINT paper calls small.
const sketchBytes = 100

// sketchCostsLittle judges whether the error that a sketch adds, averaged over the points of a curve, is at most the
// amount of the claim on every curve.
func sketchCostsLittle(c *figure.Claim, rows []quantileRow) figure.Finding {
	worst, noise, at := math.Inf(-1), 0.0, ""
	each(func(w string, q float64, bits int) {
		with, without := curve(rows, 1, w, q, bits, true), curve(rows, 1, w, q, bits, false)
		n := min(len(with), len(without))
		sum, dev := 0.0, 0.0
		for i := range n {
			sum += with[i].Error - without[i].Error
			dev = math.Max(dev, 2*math.Hypot(with[i].StdErr, without[i].StdErr))
		}
		if n > 0 && sum/float64(n) > worst {
			worst, noise, at = sum/float64(n), dev, fmt.Sprintf("%s, %s, b = %d", w, quantileName(q), bits)
		}
	})
	return figure.Judge("", at != "" && worst+noise <= c.Amount, worst > c.Amount+noise,
		"at worst %s ± %s points (%s)", number.Change(worst, 2), number.Fixed(noise, 2), at)
}

// smallSketch compares the error with sketches of 100 B and the error with all samples, after the number of packets
// in row 2.
func smallSketch(c *figure.Claim, rows []quantileRow) figure.Finding {
	confirmed, contradicted, packets := false, false, 0
	worst, least, at := quantileRow{Error: math.Inf(-1)}, math.Inf(-1), "" // least: for the smallest sketches
	each(func(w string, q float64, bits int) {
		with, all := curve(rows, 2, w, q, bits, true), curve(rows, 2, w, q, bits, false)
		if len(all) != 1 {
			return
		}
		packets = all[0].Packets
		var full *quantileRow // the largest sketch that fits
		for i, r := range with {
			if i == 0 {
				least = math.Max(least, r.Error-all[0].Error)
			}
			if r.Sketch*bits <= 8*sketchBytes {
				full = &r
			}
		}
		if full != nil && full.Error-all[0].Error > worst.Error {
			worst = quantileRow{Error: full.Error - all[0].Error, StdErr: math.Hypot(full.StdErr, all[0].StdErr)}
			at = fmt.Sprintf("%d digests of %d bits, %s, %s", full.Sketch, bits, w, quantileName(q))
		}
	})
	if at != "" {
		confirmed, contradicted = worst.Error+2*worst.StdErr <= c.Amount, worst.Error-2*worst.StdErr > c.Amount
	}
	return figure.Judge(fmt.Sprintf(c.Statement, packets, sketchBytes), confirmed, contradicted,
		"at worst %s ± %s points (%s); the smallest sketches add up to %s", number.Change(worst.Error, 2),
		number.Fixed(2*worst.StdErr, 2), at, number.Change(least, 1))
}

func moreBits(_ *figure.Claim, rows []quantileRow) figure.Finding {
	better, worse := 0, 0
	for _, w := range workloads {
		for _, q := range quantiles {
			four, eight := curve(rows, 1, w, q, 4, false), curve(rows, 1, w, q, 8, false)
			for i := range min(len(four), len(eight)) {
				switch noise := 2 * math.Hypot(four[i].StdErr, eight[i].StdErr); {
				case eight[i].Error < four[i].Error-noise:
					better++
				case eight[i].Error > four[i].Error+noise:
					worse++
				}
			}
		}
	}
	return figure.Judge("", better > 0 && worse == 0, worse > better, "significantly less at %d points, more at %d",
		better, worse)
}

func bounded(_ *figure.Claim, rows []quantileRow) figure.Finding {
	most, ok := 0.0, true
	for _, r := range rows {
		if r.Count > 0 && r.Bits == 8 && r.Part < 3 {
			most = math.Max(most, r.Rank/r.Bound)
			ok = ok && r.Rank <= r.Bound
		}
	}
	return figure.Judge("", ok && most > 0, !ok, "at most %.2f of it", most)
}

// commonCodes compares row 3 with Theorem 2.
func commonCodes(_ *figure.Claim, rows []quantileRow) figure.Finding {
	broken, most, any := 0.0, 0.0, false
	for _, r := range rows {
		if r.Part == 3 && r.Count > 0 {
			any = true
			broken = math.Max(broken, float64(r.Broken)/float64(r.Count))
			most = math.Max(most, r.Rank/r.Bound)
		}
	}
	ok := broken <= delta && most <= 1
	return figure.Judge("", any && ok, any && !ok, "fails for at most %s; the error is at most %.2f of the bound",
		number.Share(broken), most)
}

func quantileTables(rows []quantileRow) []figure.Table {
	var list []figure.Table
	for part, caption := range []string{"by packets", "by sketch", "frequent codes", "", "one stream"} {
		if caption == "" {
			continue
		}
		of := figure.Pick(rows, func(r *quantileRow) bool { return r.Part == part+1 })
		t := figure.Show(caption, of, "workload",
			figure.Text("quantile", func(r quantileRow) string { return quantileName(r.Quantile) }), "bits", "packets",
			figure.Text("sketch", func(r quantileRow) string {
				if r.Sketch > 0 {
					return fmt.Sprintf("%d digests", r.Sketch)
				}
				return "all samples"
			}), "error", figure.Real("±", "%", func(r quantileRow) float64 { return 2 * r.StdErr }),
			"rank error=rank_error", "Theorem 1=rank_bound", "estimates")
		if part == 2 {
			t = figure.Show(caption, of, "workload", "bits", "packets", "counters:=sketch", "frequent codes=frequent",
				"found",
				"largest error of a share=rank_error", "Theorem 2=rank_bound", "hops where it fails=broken",
				"hops=estimates")
		}
		if t.Folded = true; part == 2 {
			t = t.With(100 * theta)
		}
		list = append(list, t)
	}
	t := figure.Show("empty switch", figure.Pick(rows, func(r *quantileRow) bool { return r.Part == 4 }), "workload",
		figure.Text("quantile", func(r quantileRow) string { return quantileName(r.Quantile) }), "bits",
		"empty switch=pipeline", "packets", "error",
		figure.Real("±", "%", func(r quantileRow) float64 { return 2 * r.StdErr }))
	t.Folded = true
	return append(list, t)
}

func drawQuantiles(rows []quantileRow) ([]figure.Drawing, error) {
	var list []figure.Drawing
	for part, d := range []struct{ file, title, x string }{
		{"row1", "Fig. 9, row 1: error by the number of packets", "Packets"},
		{"row2", "Fig. 9, row 2: error by the size of the sketch", "Digests in the sketch of a hop"},
	} {
		f := plots.Figure{Title: d.title, Columns: 2}
		letter := 'a'
		for _, w := range workloads {
			for _, q := range quantiles {
				p := plots.Panel{
					Title: fmt.Sprintf("(%c) %s, %s", letter, w, quantileName(q)),
					X:     plots.Axis{Label: d.x, Scale: plots.Linear, Min: plots.At(0)},
					Y:     plots.Axis{Label: "Relative error", Unit: "%", Scale: plots.Linear, Min: plots.At(0)},
				}
				letter++
				for _, b := range widths {
					for _, sketch := range []bool{true, false} {
						p.Series = append(p.Series, series(rows, part+1, w, q, b, sketch))
					}
				}
				f.Panels = append(f.Panels, p)
			}
		}
		list = append(list, figure.Drawing{Name: d.file, Caption: d.file, Plot: f})
	}
	return list, nil
}

// series returns a line.
func series(rows []quantileRow, part int, w string, q float64, bits int, sketch bool) plots.Series {
	s := plots.Series{Name: fmt.Sprintf("b = %d, sketch", bits), Style: plots.Line}
	if !sketch {
		s.Name = fmt.Sprintf("b = %d, all samples", bits)
	}
	c := curve(rows, part, w, q, bits, sketch)
	if part == 2 && !sketch && len(c) == 1 {
		// The curve without a sketch has only one value. Draw this value across the panel.
		if with := curve(rows, part, w, q, bits, true); len(with) > 0 {
			c = []quantileRow{c[0], c[0]}
			c[0].Sketch, c[1].Sketch = with[0].Sketch, with[len(with)-1].Sketch
		}
	}
	return figure.Ranges(s, c, func(r *quantileRow) (x, y, lo, hi float64) {
		x = float64(r.Packets)
		if part == 2 {
			x = float64(r.Sketch)
		}
		const level95 = 1.96 // standard errors
		return x, r.Error, math.Max(0, r.Error-level95*r.StdErr), r.Error + level95*r.StdErr
	})
}
