package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"pintlab/internal/lists"
	"pintlab/internal/mem"
)

// chunkLen is the number of records in a chunk. It is small so that a run of a few flows needs little
// memory.
const chunkLen = 1 << 12

// blockLen is the number of records that are allocated at once if there are many records: 18 MB.
const blockLen = 64 * chunkLen

// Flows is a list of flow records. The list grows without moving the records and takes 72 bytes per flow. It can keep
// the records in memory or on disk (Spill). The zero Flows is empty and ready for use.
type Flows struct {
	chunks   [][]FlowRecord
	block    []FlowRecord // memory for further chunks, once there are many
	n        int
	again    []repeated
	last     int64 // ID of the last record
	shuffled bool  // whether the ID of a record is not above the previous ID
	spilled
}

// repeated is a further end of a flow that has already ended.
type repeated struct {
	FlowRecord
	after int // number of records before it
}

// Repeat records that a flow has ended once more, as flows of the published simulator may. Only fct.txt contains such
// ends.
func (f *Flows) Repeat(r FlowRecord) { f.again = append(f.again, repeated{r, f.n}) }

// Append appends a record. Records are in the order in which flows ended.
func (f *Flows) Append(r FlowRecord) {
	if f.n%chunkLen == 0 {
		if f.n%blockLen == 0 && f.n > 0 {
			f.leave()
		}
		f.chunks = append(f.chunks, f.chunk())
	}
	f.shuffled = f.shuffled || f.n > 0 && r.ID <= f.last
	f.last = r.ID
	last := len(f.chunks) - 1
	f.chunks[last] = append(f.chunks[last], r)
	f.n++
}

func (f *Flows) take(r *FlowRecord) error {
	f.Append(*r)
	return nil
}

// chunk returns memory for further records. The first chunk grows by doubling. Other chunks have full size from the
// start, and many of them share a block on large pages.
func (f *Flows) chunk() []FlowRecord {
	switch {
	case f.n == 0:
		return nil
	case f.n < blockLen:
		return make([]FlowRecord, 0, chunkLen)
	case len(f.block) == 0:
		f.block = mem.Make[FlowRecord](blockLen, blockLen)
		f.room = f.block
	}
	c := f.block[:0:chunkLen]
	f.block = f.block[chunkLen:]
	return c
}

// Len returns the number of records.
func (f *Flows) Len() int { return f.n }

// At returns the i-th record, which callers must not change.
func (f *Flows) At(i int) *FlowRecord {
	if i < f.left {
		one := make([]FlowRecord, 1)
		f.fetch(one, i)
		return &one[0]
	}
	i -= f.left
	return &f.chunks[i/chunkLen][i%chunkLen]
}

// All iterates over the records in the order of Append. After Spill, a record is valid until the iteration yields the
// next record.
func (f *Flows) All() iter.Seq[*FlowRecord] {
	return func(yield func(*FlowRecord) bool) {
		if f.left > 0 {
			some := make([]FlowRecord, chunkLen)
			for from := 0; from < f.left; from += chunkLen {
				if f.fetch(some, from); f.err != nil {
					return
				}
				for i := range some {
					if !yield(&some[i]) {
						return
					}
				}
			}
		}
		for _, c := range f.chunks {
			for i := range c {
				if !yield(&c[i]) {
					return
				}
			}
		}
	}
}

// Count returns the number of flows by outcome; estimated flows count as finished.
func (f *Flows) Count() (finished, unfinished, failed int) {
	for r := range f.All() {
		switch {
		case r.Outcome == Finished || r.Outcome == Estimated:
			finished++
		case r.Outcome.Failed():
			failed++
		default:
			unfinished++
		}
	}
	return finished, unfinished, failed
}

// byID iterates over the records in order of IDs. It returns an error if two records share an ID or a
// record contradicts itself.
func (f *Flows) byID() (iter.Seq[*FlowRecord], error) {
	highest := int64(0)
	for r := range f.All() {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("flow %d: %w", r.ID, err)
		}
		highest = max(highest, r.ID)
	}
	if !f.shuffled {
		return f.All(), nil
	}
	var order []int32
	var err error
	if highest < 2*int64(f.n)+chunkLen { // as in all complete runs
		order, err = f.placed(highest)
	} else {
		order, err = f.sorted()
	}
	if err != nil {
		return nil, err
	}
	return func(yield func(*FlowRecord) bool) {
		for i, at := range order {
			if j := i + fetchAhead; j < len(order) && order[j] >= 0 {
				mem.Prefetch(unsafe.Pointer(f.At(int(order[j]))))
			}
			if at >= 0 && !yield(f.At(int(at))) {
				return
			}
		}
	}, nil
}

// fetchAhead is the number of records that byID prefetches ahead. Prefetching helps because flows do not end in the
// order of their IDs.
const fetchAhead = 12

// placed returns, for each ID up to the highest, the index of the record with this ID, or -1 if there is none.
func (f *Flows) placed(highest int64) ([]int32, error) {
	order := slices.Repeat([]int32{-1}, int(highest)+1)
	i := int32(0)
	for r := range f.All() {
		if order[r.ID] >= 0 {
			return nil, twice(r.ID)
		}
		order[r.ID] = i
		i++
	}
	return order, nil
}

// sorted returns the indices of the records in order of IDs.
func (f *Flows) sorted() ([]int32, error) {
	order := lists.Indices(int32(f.n))
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(f.At(int(a)).ID, f.At(int(b)).ID) })
	for i := 1; i < f.n; i++ {
		if id := f.At(int(order[i])).ID; id == f.At(int(order[i-1])).ID {
			return nil, twice(id)
		}
	}
	return order, nil
}

func twice(id int64) error { return fmt.Errorf("flow %d is recorded twice", id) }

// Fingerprint returns the first 32 hexadecimal digits of the SHA-256 of all records in order of IDs. Each record is
// hashed as its fields in the order of FlowRecord, little-endian and without padding. Equal records have equal
// fingerprints on every machine, regardless of the order in which flows ended.
func (f *Flows) Fingerprint() (string, error) {
	records, err := f.byID()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	var b []byte
	for r := range records {
		b = binary.LittleEndian.AppendUint64(b[:0], uint64(r.ID))
		b = binary.LittleEndian.AppendUint32(b, uint32(r.Src))
		b = binary.LittleEndian.AppendUint32(b, uint32(r.Dst))
		b = binary.LittleEndian.AppendUint16(b, r.SrcPort)
		b = binary.LittleEndian.AppendUint16(b, r.DstPort)
		b = append(b, r.Class, uint8(r.Outcome), r.Hops)
		b = binary.LittleEndian.AppendUint64(b, uint64(r.Size))
		b = binary.LittleEndian.AppendUint64(b, uint64(r.Start))
		b = binary.LittleEndian.AppendUint64(b, uint64(r.FCT))
		b = binary.LittleEndian.AppendUint64(b, uint64(r.Ideal))
		b = binary.LittleEndian.AppendUint32(b, r.Packets)
		b = binary.LittleEndian.AppendUint32(b, r.Retransmitted)
		b = binary.LittleEndian.AppendUint32(b, r.Timeouts)
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), f.Err()
}
