package loops

// Functions that only tests use.

// Quantile returns the first hop by which a share q of the packets is reported. It returns false if
// a smaller share is reported up to the limit.
func (d Delay) Quantile(q float64) (int, bool) {
	sum := 0.0
	for n, p := range d.At {
		if sum += p; sum >= q && n > 0 {
			return n, true
		}
	}
	return 0, false
}

// PacketsUntil returns the expected number of packets that enter the loop until one is reported
// before its TTL ends: the detection time of a flow, in packets.
func (d Delay) PacketsUntil() float64 { return 1 / d.Within(len(d.At)-1) }
