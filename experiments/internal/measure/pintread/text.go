package pintread

import (
	"reflect"

	"pintlab/experiments/results/columns"
	"pintlab/internal/lists"
	"pintlab/internal/number"
	"pintlab/netsim/unit"
	"pintlab/pint/query"
)

// streamRow is a row of the table of percentiles.
type streamRow struct {
	Flow
	Hop        int     `col:"hop"`
	Samples    int64   `col:"samples"`
	Percentile float64 `col:"percentile"`
	Value      string  `col:"value"`
	Low        string  `col:"low"`
	High       string  `col:"high"`
}

func (s Stream) row() streamRow {
	return streamRow{s.Flow, s.Hop, s.Samples, s.Percentile, shown(s.Value, s.Unit), shown(float64(s.Low), s.Unit),
		shown(float64(s.High), s.Unit)}
}

// frequentRow is a row of the table of frequent values.
type frequentRow struct {
	Flow
	Hop   int    `col:"hop"`
	Value string `col:"value"`
	Low   string `col:"share_low"`
	High  string `col:"share_high"`
}

func (f Frequent) row() frequentRow {
	return frequentRow{f.Flow, f.Hop, shown(f.Value, f.Unit), number.Share(f.Low), number.Share(f.High)}
}

// shown formats a value for people. Latencies get the prefix that suits them.
func shown(v float64, name string) string {
	switch name {
	case "ns":
		if v == 0 {
			return "0 ns" // number.Format would write 0 s
		}
		v, name = v*unit.Nanosecond.Seconds(), number.Seconds
	case "1":
		name = ""
	}
	return number.Format(v, name, 4)
}

// doubtful reports whether more than one digest in 20 is wrong, and at least 10 digests. If a collector has another
// coding scheme than the switches, more digests contradict the path so far, even if the schemes differ little.
func doubtful(wrong, all int64) bool { return wrong >= 10 && wrong*20 > all }

// traced returns the number of digests that contribute to paths.
func (a *Answer) traced() int64 {
	return lists.Sum(a.Queries, func(q Query) int64 {
		if q.Aggregation != query.Path.String() {
			return 0
		}
		return q.Digests
	})
}

// Text prints the tables that are not empty.
func (a *Answer) Text() (string, error) {
	var t columns.Text
	t.Printf("%s: %s, %s", a.File, number.Count(a.Packets, "packet"), number.Count(a.Digests, "digest"))
	for _, left := range []struct {
		n   int64
		why string
	}{
		{a.TooLong, "of paths that are longer than the plan allows"},
		{a.Wrong, "that no switch of the plan can have written"},
		{a.Unknown, "of flows that are not in the run"}, {a.Malformed, "malformed datagrams"},
		{a.Copies, "copies of reports, which passed several captured ports"},
	} {
		if left.n > 0 {
			t.Printf("; not recorded: %d %s", left.n, left.why)
		}
	}
	if a.Unexplained > 0 {
		t.Printf("; %d of them fit no path over these switches: the network has other switches, or used another "+
			"plan, scheme or seed",
			a.Unexplained)
	}
	if a.Unreported > 0 {
		t.Printf("; not reported: %s of the run to the collector's host, which records these digests itself",
			number.Count(a.Unreported, "flow"))
	}
	t.Printf("\n\n")
	if all := a.Wrong + a.Digests; doubtful(a.Wrong, all) {
		t.Printf("No switch of this plan can have written %d of %s. The switches use another plan (--plan, --run), "+
			"and the\nanswers below are wrong.\n\n", a.Wrong, number.Count(all, "digest"))
	}
	if n := a.traced(); doubtful(a.Contradictions, n) {
		t.Printf("%d of %s %s the path of their flow so far. Unless routes change all the time, the paths below "+
			"are\nwrong: the switches use another coding scheme (P4 table scheme, --scheme), plan (--plan) or seed "+
			"(--hash-seed), or they\nare other switches.\n\n", a.Contradictions, number.Count(n, "digest"),
			number.Plural(a.Contradictions, "contradicts", "contradict"))
	}
	t.Rows(a.Queries)
	percentiles, frequent := lists.Map(a.Streams, Stream.row), lists.Map(a.Frequent, Frequent.row)
	for _, rows := range []any{a.Paths, percentiles, frequent, a.Values} {
		if reflect.ValueOf(rows).Len() > 0 {
			t.Printf("\n")
			t.Rows(rows)
		}
	}
	return t.Done()
}
