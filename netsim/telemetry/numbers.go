package telemetry

// Numbers holds what a collector knows of the reports of one source by their numbers, which
// count up and begin anew after 2^32.
type Numbers struct {
	Received int64

	next   uint32 // that is expected
	missed int64  // numbers passed over
}

// Hear counts a report that has come.
func (n *Numbers) Hear(number uint32) {
	n.Received++
	if gap := number - n.next; gap < 1<<31 {
		n.missed += int64(gap)
		n.next = number + 1
	} else {
		n.missed-- // it was passed over before
	}
}

// Lost returns how many reports of a source are missing if its next one has the given number.
func (n *Numbers) Lost(next uint32) int64 { return n.missed + int64(next-n.next) }
