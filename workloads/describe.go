package workloads

import (
	"bufio"
	"fmt"
	"io"
	"math"
)

// Describe writes s as readable text: a few lines and a table. With a plan, each planned value stands
// next to the measured one; hosts are the hosts of the plan.
func Describe(w io.Writer, s *Stats, plan *Plan, hosts []Host) error {
	out := bufio.NewWriter(w)
	planned := func(format string, v float64) string {
		if plan == nil || math.IsNaN(v) {
			return ""
		}
		return fmt.Sprintf(" (planned "+format+")", v)
	}
	var want Plan
	nominal := math.NaN()
	if plan != nil {
		want = *plan
		nominal = plan.Load(hosts)
	}
	fmt.Fprintf(out, "flows      %d%s, starting from %s s to %s s\n",
		s.Flows, planned("%.1f", want.Flows), seconds(s.FirstStart), seconds(s.LastStart))
	fmt.Fprintf(out, "bytes      %d%s\n", int64(s.Bytes), planned("%.0f", want.Bytes))
	fmt.Fprintf(out, "mean size  %.1f B%s\n", s.MeanSize, planned("%.1f B", want.MeanSize()))
	if l := s.Load; l != nil {
		fmt.Fprintf(out, "load       %.2f %%%s of %d host links from %s s to %s s\n",
			100*l.Overall, planned("%.2f %%", 100*nominal), l.Hosts, seconds(l.Start), seconds(l.End))
		fmt.Fprintf(out, "  sending    %s\n", l.Send)
		fmt.Fprintf(out, "  receiving  %s\n", l.Receive)
	}
	for _, c := range s.Classes {
		if c.Flows > 0 {
			fmt.Fprintf(out, "%-10s %d flows, %s %% of all; %s %% of the bytes\n", c.Name, c.Flows,
				percent(c.Flows, s.Flows), percent(int64(c.Bytes), int64(s.Bytes)))
		}
	}
	fmt.Fprintf(out, "\n%-16s %10s %8s %16s %8s\n", "size", "flows", "%", "bytes", "%")
	for _, b := range s.Bins {
		fmt.Fprintf(out, "%-16s %10d %8s %16d %8s\n", b.label(), b.Flows,
			percent(b.Flows, s.Flows), int64(b.Bytes), percent(int64(b.Bytes), int64(s.Bytes)))
	}
	return out.Flush()
}

// label returns the size range of a bin.
func (b Bin) label() string {
	switch {
	case b.Min == 0:
		return "below " + b.Max.String()
	case b.Max == 0:
		return "from " + b.Min.String()
	}
	return fmt.Sprintf("%v to %v", b.Min, b.Max)
}

// String returns the spread in percent.
func (s Spread) String() string {
	return fmt.Sprintf("mean %.2f %%, lowest host %.2f %%, highest %.2f %%", 100*s.Mean, 100*s.Min, 100*s.Max)
}

// percent returns 100·part/all with two decimals, or "-" if all is 0.
func percent(part, all int64) string {
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", 100*float64(part)/float64(all))
}

// DescribeSizes writes a distribution for people: its name, mean and some quantiles.
func DescribeSizes(w io.Writer, s Sizes) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s: mean %s B\n", s.Name(), trimFloat(s.Mean()))
	for _, p := range []float64{0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1} {
		fmt.Fprintf(out, "%5.0f %%  %12d B\n", 100*p, int64(Quantile(s, p)))
	}
	return out.Flush()
}

// trimFloat formats a mean to a hundredth of a byte, without trailing zeros.
func trimFloat(v float64) string {
	return formatDecimal(int64(math.Round(v*100)), 2, 0)
}
