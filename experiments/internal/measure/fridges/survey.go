package fridges

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"pintlab/experiments/results/stats"
	"pintlab/int/fridge"
	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/plots"
	"pintlab/workloads/exchange"
	"pintlab/workloads/packets"
)

// Survey measures one trace with fridges and, in the same pass, with an expiring array. The trace may be a file of any
// length. A Study measures several settings and seeds.
type Survey struct {
	Trace   string // name of the trace
	Source  exchange.Source
	Parts   []fridge.Part
	Pairing fridge.Pairing `flag:"pairing" use:"which insertions are counted: entered, seen, or mixed, which is {wrong}"`
	// Eq7 combines several fridges by their estimated variances (§4.2, Eq. 7), which is biased. If it is not set, they
	// are combined by the expected factors at the mean rate of requests.
	Eq7 bool
	// Switch also tallies the samples as a switch does, with whole factors and 32 bins of log2 of microseconds.
	// Samples, if not nil, receives every sample as CSV. Both require a single fridge.
	Switch  bool `flag:"switch" use:"also count as a switch does, with integer factors from a table and 32 bins of log2(µs)"`
	Samples io.Writer
	// Naive is the array with which fridges are compared. If it has no stages, there is no array.
	Naive fridge.ArrayConfig
	// Window is the time for which the exact matcher remembers requests. If it is 0, the true delays are unknown.
	Window   unit.Time
	Width    float64 `flag:"width" default:"0.01" range:">=0.001 <=1" use:"{width} of the bins of estimated delays, relative to the delay"`
	Seed     uint64  // seed of the hash functions
	Workers  int
	Progress func(events int64)
}

// Percentile is a percentile of delays, in seconds.
type Percentile struct {
	Percent float64  `json:"percent"`
	Delay   float64  `json:"seconds"`
	Lo      *float64 `json:"lo"`          // lower end of the fridge's 95 % interval
	Hi      *float64 `json:"hi"`          // likewise
	Few     bool     `json:"few_samples"` // fewer than five samples lie beyond it
	Error   *float64 `json:"error"`       // |log2(estimated/true)|; null if the truth is unknown
}

// Estimate is the result of a structure on a trace.
type Estimate struct {
	// `true`, `fridge`, `fridge, no correction`, `naive array`, `fridge, every sample` or `fridge, as a switch`,
	// depending on the options
	Name    string        `json:"name"`
	Entries int           `json:"entries"`
	Bytes   int           `json:"bytes"` // size of the entries
	Samples int64         `json:"samples"`
	Pairs   float64       `json:"pairs"`       // estimated
	Stats   *fridge.Stats `json:"counts"`      // null for true delays
	Values  []Percentile  `json:"percentiles"` // empty if there is no sample
	// Distribution is the estimated CDF.
	Distribution *fridge.Distribution `json:"-"`
}

// The ways to combine several fridges.
const (
	byRate     = "rate"
	byVariance = "variance"
)

// biased is a warning about the bias of byVariance. The bias was measured with twenty hash seeds on the trace isp, with
// two fridges that fridge.Model.Optimize chooses.
const biased = "weights by estimated variance (§4.2, Eq. 7) depend on the samples and are biased with more " +
	"than one fridge: " +
	"two fridges of 2048 entries on the trace isp give a bias of -3.1 ± 0.5 % in the number of pairs and a p95 " +
	"error of " +
	"0.31; weights by rate give -0.7 ± 0.4 % and 0.02"

// Findings are the results of a survey. The first estimate is the truth, if it is known.
type Findings struct {
	Trace     string `json:"trace"`
	Requests  int64  `json:"requests"`
	Responses int64  `json:"responses"`
	Unordered int64  `json:"unordered"` // events that were earlier than the previous event
	// responses without a request within `--window`; null without true delays
	Unmatched *int64   `json:"unmatched"`
	Rate      *float64 `json:"requests_per_second"` // null if all events are at one instant
	// how several fridges are combined: `rate`, or `variance`, which is biased; empty for one fridge
	Weights   string     `json:"weights"`
	Estimates []Estimate `json:"estimates"`
	packets.Partial
}

// The names of estimates.
const (
	trueName      = "true"
	fridgeName    = "fridge"
	unweighedName = "fridge, no correction"
	samplesName   = "fridge, every sample"
	switchName    = "fridge, as a switch"
	naiveName     = "naive array"
)

// Run makes the survey.
func (s Survey) Run(ctx context.Context) (*Findings, error) {
	m, err := newMeter(Fridges(s.Pairing, s.Parts...), s.Seed, s.Width, Corrected, Raw)
	if err != nil {
		return nil, err
	}
	meters := []*Meter{m}
	more, err := s.more(m)
	if err != nil {
		return nil, err
	}
	if s.Naive.Stages > 0 {
		s.Naive.Seed = s.Seed
		n, err := newMeter(array(s.Naive.Entries, s.Naive.Stages, unit.Time(s.Naive.Threshold)), s.Seed, s.Width)
		if err != nil {
			return nil, err
		}
		meters = append(meters, n)
	}
	t, err := Run(ctx, s.Source, meters, Options{Window: s.Window, Workers: s.Workers, Progress: s.Progress})
	if err != nil {
		return nil, err
	}
	f := &Findings{Trace: s.Trace, Requests: t.Requests, Responses: t.Responses, Unordered: t.Unordered}
	if r := t.Rate() * float64(unit.Second); r > 0 {
		f.Rate = &r
	} else if len(s.Parts) > 1 && !s.Eq7 && t.Requests > 0 {
		return nil, fmt.Errorf("%s: all requests have the same time, so several fridges cannot be weighted by rate",
			s.Trace)
	}
	switch {
	case len(s.Parts) == 1:
	case s.Eq7:
		f.Weights = byVariance
	default:
		f.Weights = byRate
	}
	if t.Delays != nil {
		if t.Pairs == 0 {
			return nil, NoPairs(s.Trace, t, s.Window)
		}
		unmatched := t.Responses - t.Pairs
		f.Unmatched = &unmatched
		f.Estimates = append(f.Estimates,
			estimate(Estimate{Name: trueName, Samples: t.Pairs, Distribution: t.Delays}, nil, false))
	}
	// add adds an estimate with the distribution d, which the meter `of` has sampled.
	add := func(name string, of *Meter, entries int, d *fridge.Distribution) *Estimate {
		counts := of.structure.Stats()
		e := Estimate{Name: name, Entries: entries, Bytes: of.structure.SizeBytes(), Samples: int64(counts.Samples),
			Stats: &counts, Distribution: d}
		f.Estimates = append(f.Estimates, estimate(e, t.Delays, name == fridgeName))
		return &f.Estimates[len(f.Estimates)-1]
	}
	entries := lists.Sum(s.Parts, func(p fridge.Part) int { return p.Entries })
	add(fridgeName, m, entries, m.Distribution(0, t.Rate(), s.Eq7))
	// Without the correction, every sample counts once, regardless of the fridge that found it.
	raw := add(unweighedName, m, entries, m.tallies[1].Distribution())
	raw.Pairs = float64(raw.Samples)
	for _, naive := range meters[1:] {
		add(naiveName, naive, s.Naive.Entries, naive.Distribution(0, t.Rate(), false))
	}
	for _, x := range more {
		d, err := x.end()
		if err != nil {
			return nil, err
		}
		add(x.name, m, entries, d)
	}
	return f, nil
}

// NoPairs returns the error of a trace without pairs for the exact matcher.
func NoPairs(trace string, t Traffic, window unit.Time) error {
	within := ""
	if window != forever && t.Requests > 0 && t.Responses > 0 {
		within = fmt.Sprintf(" within %v (--window)", window)
	}
	return fmt.Errorf("%s: none of %s matches any of the %s%s", trace, number.Count(t.Requests, "request"),
		number.Count(t.Responses, "response"), within)
}

// inSeconds converts ticks to seconds. A time of less than one tick becomes 0.
func inSeconds(ticks float64) float64 {
	if ticks < 1 {
		return 0
	}
	return ticks / float64(unit.Second)
}

// another is an additional tally of the same samples.
type another struct {
	name string
	end  func() (*fridge.Distribution, error)
}

// more makes a meter pass every sample to the additional tallies that s requires.
func (s Survey) more(m *Meter) (list []another, err error) {
	if (s.Switch || s.Samples != nil) && len(s.Parts) != 1 {
		return nil, errors.New("only a single fridge can keep samples or count as a switch does")
	}
	var tell []func(fridge.Sample[uint64])
	if s.Samples != nil {
		kept, out := &fridge.Samples{}, bufio.NewWriter(s.Samples)
		fmt.Fprintln(out, "delay_s,survived,factor")
		tell = append(tell, func(x fridge.Sample[uint64]) {
			kept.Add(x.Delay, x.Factor)
			fmt.Fprintf(out, "%v,%d,%v\n", float64(x.Delay)/float64(unit.Second), x.Survived, x.Factor)
		})
		list = append(list, another{samplesName, func() (*fridge.Distribution, error) {
			return kept.Distribution(), out.Flush()
		}})
	}
	if s.Switch {
		if s.Pairing != fridge.Entered {
			return nil, fmt.Errorf("--pairing %v: --switch counts as a switch does, and a switch pairs only "+
				"requests that entered the fridge (fridges §6.1): want --pairing %v", s.Pairing, fridge.Entered)
		}
		h, err := switchHistogram(s.Parts[0])
		if err != nil {
			return nil, err
		}
		tell = append(tell, func(x fridge.Sample[uint64]) {
			h.Add(uint32(min(x.Delay/uint64(unit.Microsecond), math.MaxUint32)), x.Survived)
		})
		list = append(list, another{switchName, func() (*fridge.Distribution, error) {
			return h.Distribution(uint64(unit.Microsecond)), nil
		}})
	}
	m.each = func(x fridge.Sample[uint64]) {
		for _, f := range tell {
			f(x)
		}
	}
	return list, nil
}

// switchHistogram returns the histogram of a switch with a fridge.
func switchHistogram(p fridge.Part) (*fridge.Histogram, error) {
	f, err := fridge.NewFactors(fridge.FactorsConfig{
		Entries: uint32(p.Entries), Probability: p.Probability,
		Limit: uint32(min(8*int64(p.Entries), 14*int64(p.Entries-1), 1<<31)),
	})
	if err != nil {
		return nil, err
	}
	return fridge.NewHistogram(f), nil
}

// estimate fills in the quantiles and errors of a distribution.
func estimate(e Estimate, truth *fridge.Distribution, bounded bool) Estimate {
	e.Pairs = e.Distribution.Total()
	if e.Samples == 0 {
		return e
	}
	for _, q := range Quantiles {
		p := Percentile{Percent: 100 * q, Delay: inSeconds(e.Distribution.Quantile(q))}
		if bounded {
			lo, hi := e.Distribution.Interval(q, 1.96)
			lo, hi = inSeconds(lo), inSeconds(hi)
			if lo > 0 {
				p.Lo = &lo
			}
			if !math.IsInf(hi, 1) {
				p.Hi = &hi
			}
		}
		p.Few = e.Name != trueName && !stats.Enough(int(e.Samples), q)
		if truth != nil {
			x := fridge.Error(e.Distribution, truth, q)
			if p.Delay == 0 && truth.Quantile(q) < 1 { // the estimated and the true delay are 0, so there is no error
				x = 0
			}
			if (p.Delay > 0) == (truth.Quantile(q) >= 1) { // if only one of the two is 0, there is no ratio
				p.Error = &x
			}
		}
		e.Values = append(e.Values, p)
	}
	return e
}

// cdfRow is a point of a survey's CDFs.
type cdfRow struct {
	Estimate string  `col:"estimate"`
	Delay    float64 `col:"delay" unit:"s"`
	Share    float64 `col:"share"`
}

// rows returns the CDFs.
func (f *Findings) rows() []cdfRow {
	var rows []cdfRow
	for _, e := range f.Estimates {
		if e.Samples == 0 {
			continue
		}
		for i := range 200 {
			q := (float64(i) + 0.5) / 200
			rows = append(rows, cdfRow{e.Name, inSeconds(e.Distribution.Quantile(q)), q})
		}
	}
	return rows
}

// perSecond formats the rate of requests, after a comma. It returns "" if the rate is unknown.
func (f *Findings) perSecond() string {
	if f.Rate == nil {
		return ""
	}
	return fmt.Sprintf(", %.4g requests/s", *f.Rate)
}

// draw draws the CDFs. It omits delays of 0.
func (f *Findings) draw(rows []cdfRow) plots.Figure {
	p := plots.Panel{
		X: plots.Axis{Label: "Delay", Unit: plots.InSeconds, Scale: plots.Log},
		Y: plots.Axis{Label: "Share of the pairs", Scale: plots.Linear, Min: plots.At(0), Max: plots.At(1)},
	}
	zeros := ""
	for _, e := range f.Estimates {
		s := plots.Series{Name: e.Name, Style: plots.Trace, Muted: e.Name == trueName}
		for _, r := range rows {
			if r.Estimate != e.Name {
				continue
			}
			if r.Delay == 0 {
				zeros = " Delays of 0 have no place on the axis."
			} else {
				s.X, s.Y = append(s.X, r.Delay), append(s.Y, r.Share)
			}
		}
		if len(s.X) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	return plots.Figure{
		Title: "Distribution of delays: " + f.Trace, Width: 380, Panels: []plots.Panel{p},
		Footnote: fmt.Sprintf("%s, %s%s", number.Count(f.Requests, "request"),
			number.Count(f.Responses, "response"), f.perSecond()) + zeros,
	}
}

// Assumed returns the distribution of a law of delays, from 200 000 draws.
func Assumed(law exchange.Law, seed uint64) (*fridge.Distribution, error) {
	t, err := fridge.NewTally(1, fridge.DefaultWidth)
	if err != nil {
		return nil, err
	}
	r := hash.Stream(seed, "fridge/assumed delays")
	for range 200_000 {
		t.Add(0, uint64(law.Draw(r)), 1)
	}
	return t.Distribution(), nil
}
