package powertcp

// history stores the windows under which the bytes in flight were sent, for GETCWND and UPDATEOLD.
// It has an entry for each change since the oldest packet in flight.
type history struct {
	changes []change
	first   int // index of the first change that still counts
}

// change is a window and the first byte from which it applies.
type change struct {
	from int64 // first byte sent under it
	cwnd float64
}

// reset clears the history. Bytes from the given one on are sent under the given window.
func (h *history) reset(from int64, cwnd float64) {
	h.changes, h.first = append(h.changes[:0], change{from, cwnd}), 0
}

// add records that bytes from next on are sent under the given window.
func (h *history) add(next int64, cwnd float64) {
	if last := &h.changes[len(h.changes)-1]; last.from >= next {
		last.cwnd = cwnd // nothing was sent under the previous window
		return
	}
	if h.first > len(h.changes)/2 {
		h.changes = h.changes[:copy(h.changes, h.changes[h.first:])]
		h.first = 0
	}
	h.changes = append(h.changes, change{next, cwnd})
}

// window returns the window under which the byte before seq was sent. It drops earlier windows,
// because acknowledgements never decrease.
func (h *history) window(seq int64) float64 {
	for h.first+1 < len(h.changes) && h.changes[h.first+1].from < seq {
		h.first++
	}
	return h.changes[h.first].cwnd
}
