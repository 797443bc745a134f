package workloads

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"pintlab/internal/number"
	"pintlab/netsim/unit"
)

// Describe writes s as readable text: a few lines and a table. With a plan, each planned value stands next to the
// measured value. hosts are the hosts of the plan.
func Describe(w io.Writer, s *Stats, plan *Plan, hosts []Host) error {
	out := bufio.NewWriter(w)
	planned := func(v float64, text string) string {
		if plan == nil || math.IsNaN(v) {
			return ""
		}
		return " (planned " + text + ")"
	}
	var want Plan
	nominal := math.NaN()
	if plan != nil {
		want = *plan
		nominal = plan.Load(hosts)
	}
	fmt.Fprintf(out, "flows      %d%s, starting from %s s to %s s\n",
		s.Flows, planned(want.Flows, fmt.Sprintf("%.1f", want.Flows)), seconds(s.FirstStart), seconds(s.LastStart))
	fmt.Fprintf(out, "bytes      %d%s\n", int64(s.Bytes), planned(want.Bytes, fmt.Sprintf("%.0f", want.Bytes)))
	mean := want.MeanSize()
	fmt.Fprintf(out, "mean size  %.1f B%s\n", s.MeanSize, planned(mean, fmt.Sprintf("%.1f B", mean)))
	if l := s.Load; l != nil {
		fmt.Fprintf(out, "load       %s%s of %s from %s s to %s s\n", number.Share(l.Overall),
			planned(nominal, number.Share(nominal)), number.Count(l.Hosts, "host link"), seconds(l.Start),
			seconds(l.End))
		fmt.Fprintf(out, "  sending    %s\n", l.Send)
		fmt.Fprintf(out, "  receiving  %s\n", l.Receive)
	}
	for _, c := range s.Classes {
		if c.Flows > 0 {
			fmt.Fprintf(out, "%-10s %s, %s of all; %s of the bytes\n", c.Name, number.Count(int(c.Flows), "flow"),
				share(c.Flows, s.Flows), share(int64(c.Bytes), int64(s.Bytes)))
		}
	}
	fmt.Fprintf(out, "\n%-16s %10s %10s %16s %10s\n", "size", "flows", "share", "bytes", "share")
	for _, b := range s.Bins {
		fmt.Fprintf(out, "%-16s %10d %10s %16d %10s\n", b.label(), b.Flows,
			share(b.Flows, s.Flows), int64(b.Bytes), share(int64(b.Bytes), int64(s.Bytes)))
	}
	return out.Flush()
}

// label returns the size range of a bin.
func (b Bin) label() string {
	switch {
	case b.Min == 0:
		return "below " + size(b.Max)
	case b.Max == 0:
		return "from " + size(b.Min)
	}
	return size(b.Min) + " to " + size(b.Max)
}

func size(b unit.Bytes) string { return number.Format(float64(b), number.Bytes, 4) }

// String returns the spread in percent.
func (s Spread) String() string {
	return fmt.Sprintf("mean %s, lowest host %s, highest %s",
		number.Share(s.Mean), number.Share(s.Min), number.Share(s.Max))
}

// share returns part/all in percent.
func share(part, all int64) string { return number.Share(float64(part) / float64(all)) }

// DescribeSizes writes a distribution for people: its name, mean and some quantiles.
func DescribeSizes(w io.Writer, s Sizes) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s: mean %s B\n", s.Name(), trimFloat(s.Mean()))
	for _, p := range []float64{0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1} {
		fmt.Fprintf(out, "%7s  %12d B\n", number.Share(p), int64(Quantile(s, p)))
	}
	return out.Flush()
}

// trimFloat formats a mean to a hundredth of a byte, without trailing zeros.
func trimFloat(v float64) string {
	return formatDecimal(int64(math.Round(v*100)), 2, 0)
}
