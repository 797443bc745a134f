package stats

import (
	"cmp"
	"slices"

	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

// SizeTable is the flows of a class by size: a row for each size if there are few, else rows of about
// equally many flows. Flows of equal size are in one row.
type SizeTable struct {
	Class uint8
	Few   bool // a row for each size
	Rows  []SizeRow
	All   SizeRow
}

// SizeRow is the flows of some sizes: slowdowns and completion times, in s.
type SizeRow struct {
	Bucket
	FCT Times
}

// ClassName returns the name of the class.
func (t *SizeTable) ClassName() string { return [...]string{"background", "incast"}[min(t.Class, 1)] }

// SizeRows is how many sizes of flows have a row of their own where a run is shown, and how many rows more
// sizes have together.
const SizeRows = 10

// SizeTables returns the finished and projected flows that start in the window, class by class. A class has
// a row for each size if it has no more sizes than few, else at most as many rows as few, and one if they would
// have less than two flows each.
func SizeTables(flows *store.Flows, w Window, few int) []SizeTable {
	byClass := map[uint8][]*store.FlowRecord{}
	for r := range flows.All() {
		if w.Contains(r.Start) && !r.Outcome.Failed() && r.Outcome.Timed() {
			own := *r
			byClass[r.Class] = append(byClass[r.Class], &own)
		}
	}
	var list []SizeTable
	for class, records := range byClass {
		slices.SortFunc(records, func(a, b *store.FlowRecord) int {
			return cmp.Or(cmp.Compare(a.Size, b.Size), cmp.Compare(a.ID, b.ID))
		})
		sizes := 1
		for i := range records[1:] {
			if records[i].Size != records[i+1].Size {
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
				next = max(next, (len(t.Rows)+1)*len(records)/rows)
			}
			for next < len(records) && records[next].Size == records[next-1].Size {
				next++
			}
			t.Rows = append(t.Rows, sizeRow(records[begin:next]))
		}
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b SizeTable) int { return cmp.Compare(a.Class, b.Class) })
	return list
}

// sizeRow describes flows that are sorted by size.
func sizeRow(records []*store.FlowRecord) SizeRow {
	var points []Point
	var seconds []float64
	for _, r := range records {
		points = append(points, Point{ID: r.ID, Size: r.Size, Slowdown: r.Slowdown()})
		seconds = append(seconds, r.FCT.Seconds())
	}
	return SizeRow{bucket(points), timesOf(seconds)}
}

// ManySizes reports whether the flows have more sizes than n, so that buckets of about equally many of them
// say something of sizes: else some would differ in the numbers of flows alone.
func ManySizes(points []Point, n int) bool {
	sizes := map[unit.Bytes]bool{}
	for _, p := range points {
		if sizes[p.Size] = true; len(sizes) > n {
			return true
		}
	}
	return false
}
