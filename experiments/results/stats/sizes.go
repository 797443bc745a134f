package stats

import (
	"cmp"
	"slices"

	"pintlab/experiments/results/store"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
)

// SizeTable is a table of the flows of a class by size. If there are few sizes, each size has a row. Otherwise, rows
// have about equal numbers of flows. Flows of the same size are in the same row.
type SizeTable struct {
	Class uint8
	Few   bool // each size has a row
	Rows  []SizeRow
	All   SizeRow
}

// SizeRow contains the slowdowns and the completion times (in s) of flows in a range of sizes.
type SizeRow struct {
	Bucket
	FCT Times
}

// ClassName returns the name of the class.
func (t *SizeTable) ClassName() string { return [...]string{"background", "incast"}[min(t.Class, 1)] }

// SizeRows is the largest number of flow sizes for which the view of a run has a row for each size. If there are more
// sizes, SizeRows is the number of rows.
const SizeRows = 10

// SizeTables returns a table for each class. A table contains the flows that start in the window and have a completion
// time. A class with at most `few` sizes has a row for each size. Otherwise it has at most `few` rows, or a single row
// if the rows would have fewer than two flows each.
func SizeTables(flows *store.Flows, w Window, few int) []SizeTable {
	counts := func(r *store.FlowRecord) bool {
		return w.Contains(r.Start) && !r.Outcome.Failed() && r.Outcome.Timed()
	}
	many := map[uint8]int{}
	for r := range flows.All() {
		if counts(r) {
			many[r.Class]++
		}
	}
	byClass := map[uint8][]timed{}
	for r := range flows.All() {
		if counts(r) {
			if byClass[r.Class] == nil {
				byClass[r.Class] = make([]timed, 0, many[r.Class])
			}
			byClass[r.Class] = append(byClass[r.Class], timed{r.Size, r.Slowdown(), r.FCT})
		}
	}
	var list []SizeTable
	for class, records := range byClass {
		slices.SortFunc(records, func(a, b timed) int { return cmp.Compare(a.size, b.size) })
		sizes := 1
		for i := range records[1:] {
			if records[i].size != records[i+1].size {
				sizes++
			}
		}
		t := SizeTable{Class: class, Few: sizes <= few, All: sizeRow(records)}
		rows := few
		if len(records) < 2*few {
			rows = 1
		}
		for begin, next := 0, 0; begin < len(records); begin = next {
			if next = begin + 1; !t.Few {
				// Rows end at equal shares of the flows. If many flows of one size have moved the end of a row, the
				// next row ends at the first share with which it has at least half as many flows as usual.
				share := 1
				for 2*(share*len(records)/rows-begin) < len(records)/rows {
					share++
				}
				next = min(len(records), share*len(records)/rows)
			}
			for next < len(records) && records[next].size == records[next-1].size {
				next++
			}
			t.Rows = append(t.Rows, sizeRow(records[begin:next]))
		}
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b SizeTable) int { return cmp.Compare(a.Class, b.Class) })
	return list
}

// timed is the size and times of a flow.
type timed struct {
	size     unit.Bytes
	slowdown float64
	fct      unit.Time
}

// sizeRow summarises flows that are sorted by size.
func sizeRow(flows []timed) SizeRow {
	slowdowns := lists.Map(flows, func(f timed) float64 { return f.slowdown })
	return SizeRow{Bucket: bucketOf(flows[0].size, flows[len(flows)-1].size, slowdowns),
		FCT: timesOf(lists.Map(flows, func(f timed) float64 { return f.fct.Seconds() }))}
}

// ManySizes reports whether the flows have more than n sizes. With fewer sizes, buckets of about equal
// numbers of flows would not differ in size.
func ManySizes(points []Point, n int) bool {
	sizes := map[unit.Bytes]bool{}
	for _, p := range points {
		if sizes[p.Size] = true; len(sizes) > n {
			return true
		}
	}
	return false
}
