package fixedpoint

import "fmt"

// Stored keeps U in a pipeline whose last stage cannot write the registers that its first stage reads (section 5).
// The last n values of U are in separate stages: a packet reads the newest value and writes the next stage. A packet
// that writes the last stage goes through the pipeline once more and copies U to the first stage.
//
// Until the recirculated packet arrives, there is no stage left to write. Packets that pass meanwhile read the last
// register, which contains U from before the recirculated packet, and do not change it. So U lacks the bytes of
// these packets and the time before them. The program is hpcc_util.p4 with -D STORED, for n = 2.
type Stored struct {
	port    *Port
	u, last uint32 // newest value; value of the last register
	n, lag  int
	used    int // stages written since the last recirculation
	waiting int // packets until the recirculated one arrives
}

// NewStored makes a pipeline of n stages, at least 1. lag is how many packets pass before a recirculated packet
// enters the pipeline again, at least 0.
func NewStored(p *Port, n, lag int) (*Stored, error) {
	if n < 1 || lag < 0 {
		return nil, fmt.Errorf("fixedpoint: %d stored values, recirculation after %d packets: want at least 1 and 0",
			n, lag)
	}
	return &Stored{port: p, n: n, lag: lag}, nil
}

// Next is Port.Next on the stored U. recirculate reports whether this packet goes through the
// pipeline again.
func (s *Stored) Next(tau, qlen, size uint32) (u uint32, recirculate bool) {
	if s.waiting > 0 {
		s.waiting--
		return s.last, false
	}
	s.u, s.last = s.port.Next(s.u, tau, qlen, size), s.u
	if s.used++; s.used == s.n {
		s.used, s.waiting = 0, s.lag
		return s.u, true
	}
	return s.u, false
}
