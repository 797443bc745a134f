package cctest

import (
	"pintlab/transport"
	"pintlab/transport/recovery"
)

// RDMA returns the RDMA-like transport of PINT §6.1: 1000 B of payload, 48 B of headers, an ACK of
// at least 60 B for every packet, go-back-N.
func RDMA() transport.Config { return Of(recovery.GoBackN) }

// TCP returns the TCP of PINT §2: 1500 B IP packets with 40 B of IP and TCP
// headers in 14 B of Ethernet, an ACK for every packet, NewReno.
func TCP() transport.Config { return Of(recovery.NewReno) }

// Of returns a transport with this loss recovery. Its hosts pace packets.
func Of(r transport.Recovery) transport.Config {
	c := transport.Default("kind="+r.Kind()).Config(r, 0, 0)
	c.Pacing, c.FlightCap, c.IdealSegment = true, false, 0
	return c
}

// List is a transport.Source that reads a slice.
type List struct {
	Flows []transport.Flow
	at    int
}

// Next stores the next flow of the slice in f.
func (l *List) Next(f *transport.Flow) bool {
	if l.at == len(l.Flows) {
		return false
	}
	*f = l.Flows[l.at]
	l.at++
	return true
}
