package telemetry

// Numbers tracks the report numbers of one source, which count up and wrap around after 2^32.
type Numbers struct {
	Received int64

	next   uint32 // the number expected next
	missed int64  // numbers that were skipped
}

// Hear counts a received report.
func (n *Numbers) Hear(number uint32) {
	n.Received++
	if gap := number - n.next; gap < 1<<31 {
		n.missed += int64(gap)
		n.next = number + 1
	} else {
		n.missed-- // the number was counted as missed before
	}
}

// Lost returns how many reports of a source are missing if its next report has the given number.
func (n *Numbers) Lost(next uint32) int64 { return n.missed + int64(next-n.next) }
