// Package heavy finds large flows and large changes with a sketch and a small table.
//
//	SketchINT, §V-A: heavy hitter detection and heavy change detection.
//
// # As in the code of SketchINT
//
// A flow is a heavy hitter if its estimate right after one of its packets is at least the threshold. The table keeps
// the last such estimate. Here the table has a capacity, as in the SketchINT paper; Dropped counts the packets that
// found the table full.
package heavy

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"pintlab/internal/hash"
)

// Capacity is the SketchINT paper's capacity of a table (§VII-B1).
const Capacity = 1024

// maxCapacity is the largest capacity of a Table.
const maxCapacity = 1 << 24

// roomAtFirst is the number of flows for which a new Table has memory. A larger table grows as flows enter it, so that
// its memory depends on the number of flows and not on the capacity.
const roomAtFirst = 1 << 14

// Flow is an entry of a Table.
type Flow struct {
	Key      uint64
	Estimate uint64 // after the flow's last packet
}

// Table keeps the flows whose estimates have reached a threshold. Make one with NewTable.
type Table struct {
	threshold uint64
	capacity  int
	shift     uint8
	slots     []int32 // 1 + place in flows; 0 is empty
	flows     []Flow
	dropped   int
}

// NewTable makes an empty table with room for capacity flows. The threshold is at least 1.
func NewTable(capacity int, threshold uint64) (*Table, error) {
	if capacity < 1 || capacity > maxCapacity {
		return nil, fmt.Errorf("heavy: a table for %d flows, want 1 to %d", capacity, maxCapacity)
	}
	if threshold < 1 {
		return nil, fmt.Errorf("heavy: threshold %d, want at least 1", threshold)
	}
	room := min(capacity, roomAtFirst)
	t := &Table{threshold: threshold, capacity: capacity, flows: make([]Flow, 0, room)}
	t.makeSlots(2 * room)
	return t, nil
}

// makeSlots makes at least n empty slots. Their number is a power of two.
func (t *Table) makeSlots(n int) {
	digits := bits.Len(uint(n - 1))
	t.shift, t.slots = uint8(64-digits), make([]int32, 1<<digits)
}

// grow doubles the slots and enters the flows again.
func (t *Table) grow() {
	t.makeSlots(2 * len(t.slots))
	for i, f := range t.flows {
		t.slots[t.find(f.Key)] = int32(i + 1)
	}
}

// Packet records a packet of a flow and the estimate right after it. place is the entry of
// the flow, from 0 in order of arrival; place is negative if the flow is not in the table,
// because its estimate is below the threshold or the table is full.
func (t *Table) Packet(key, estimate uint64) (place int) {
	if estimate < t.threshold {
		return -1
	}
	slot := t.find(key)
	if i := t.slots[slot]; i != 0 {
		t.flows[i-1].Estimate = estimate
		return int(i - 1)
	}
	if len(t.flows) == t.capacity {
		t.dropped++
		return -1
	}
	if 2*len(t.flows) == len(t.slots) {
		t.grow()
		slot = t.find(key)
	}
	t.flows = append(t.flows, Flow{key, estimate})
	t.slots[slot] = int32(len(t.flows))
	return len(t.flows) - 1
}

// find returns the slot of a key. If the key has no slot, find returns the empty slot where the key belongs.
func (t *Table) find(key uint64) int {
	for slot := int(hash.Mix64(key) >> t.shift); ; slot = (slot + 1) & (len(t.slots) - 1) {
		if i := t.slots[slot]; i == 0 || t.flows[i-1].Key == key {
			return slot
		}
	}
}

// Lookup returns the last estimate of a flow in the table.
func (t *Table) Lookup(key uint64) (estimate uint64, ok bool) {
	if i := t.slots[t.find(key)]; i != 0 {
		return t.flows[i-1].Estimate, true
	}
	return 0, false
}

// Flows returns the entries in order of arrival. The caller must not change them.
func (t *Table) Flows() []Flow { return t.flows }

// Dropped returns the number of packets of heavy hitters that found the table full.
func (t *Table) Dropped() int { return t.dropped }

// Reset empties the table.
func (t *Table) Reset() {
	clear(t.slots)
	t.flows, t.dropped = t.flows[:0], 0
}

// Change is a flow whose size differs between two windows.
type Change struct {
	Key           uint64
	Before, After uint64 // estimates at the end of each window
}

// Size returns |After − Before|.
func (c Change) Size() uint64 {
	return max(c.After, c.Before) - min(c.After, c.Before)
}

// Changes returns the candidates whose estimates in two windows differ by at least the threshold. Each
// candidate occurs once, and the largest change is first.
func Changes(candidates []uint64, before, after func(key uint64) uint64, threshold uint64) []Change {
	keys := slices.Clone(candidates)
	slices.Sort(keys)
	var changes []Change
	for _, k := range slices.Compact(keys) {
		if c := (Change{k, before(k), after(k)}); c.Size() >= threshold {
			changes = append(changes, c)
		}
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Compare(b.Size(), a.Size()) })
	return changes
}
