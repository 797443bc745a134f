package cctest

import (
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/recovery"
)

// RDMA returns the RDMA-like transport of PINT §6.1: 1000 B of payload, 48 B of headers, an ACK of
// at least 60 B for every packet, go-back-N.
func RDMA() transport.Config {
	return transport.Config{
		Recovery: recovery.GoBackN,
		Segment:  1000, Header: 48, AckHeader: 46, AckMin: 60,
		AckEvery: 1, NackInterval: 500 * unit.Microsecond,
		DupThreshold: 3,
		RTOMin:       1 * unit.Millisecond, RTOInitial: 1 * unit.Millisecond, RTOMax: 100 * unit.Millisecond,
		MaxTimeouts: 30,
		Overshoot:   true,
	}
}

// TCP returns the TCP of PINT §2: 1500 B IP packets with 40 B of IP and TCP
// headers in 14 B of Ethernet, an ACK for every packet, NewReno.
func TCP() transport.Config {
	c := RDMA()
	c.Recovery = recovery.NewReno
	c.Segment, c.Header, c.AckHeader = 1460, 54, 54
	c.Overshoot = false
	return c
}

// List is a transport.Source that reads a slice.
type List struct {
	Flows []transport.Flow
	at    int
}

// Next writes the next flow of the slice.
func (l *List) Next(f *transport.Flow) bool {
	if l.at == len(l.Flows) {
		return false
	}
	*f = l.Flows[l.at]
	l.at++
	return true
}
