package exchange

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"pintlab/workloads/packets"
)

// Flows selects flows by their two ends. One end of a flow, its source or its destination, must match the first address
// and port, and the other end must match the second. The zero value selects all flows.
type Flows struct{ ends [2]end }

// end is a set of addresses and ports. The zero value contains all.
type end struct {
	hosts netip.Prefix
	port  uint16
}

// UnmarshalText reads one end or two, such as "10.1.0.0/16", ":443" or "10.1.0.7:4000,192.0.2.1:80".
func (f *Flows) UnmarshalText(text []byte) error {
	ends := strings.Split(string(text), ",")
	*f = Flows{}
	for i, s := range ends {
		if i == len(f.ends) {
			return fmt.Errorf("%d ends, want one or two", len(ends))
		}
		hosts, port, colon := strings.Cut(s, ":")
		if n, err := strconv.ParseUint(port, 10, 16); err == nil && n > 0 {
			f.ends[i].port = uint16(n)
		} else if colon {
			return fmt.Errorf("%q: want a port from 1 to 65535 after the colon", s)
		}
		if hosts == "" && colon {
			continue
		}
		if !strings.Contains(hosts, "/") {
			hosts += "/32"
		}
		var err error
		if f.ends[i].hosts, err = netip.ParsePrefix(hosts); err != nil || !f.ends[i].hosts.Addr().Is4() {
			return fmt.Errorf("%q: want an IPv4 address or prefix, a port after a colon, or both", s)
		}
	}
	return nil
}

// String returns the flows in the format of UnmarshalText, or "" for all flows.
func (f Flows) String() string {
	if f.ends[1] == (end{}) {
		return f.ends[0].String()
	}
	return f.ends[0].String() + "," + f.ends[1].String()
}

func (e end) String() (s string) {
	if e.hosts.IsValid() {
		s = e.hosts.String()
	}
	if e.port > 0 {
		s += fmt.Sprint(":", e.port)
	}
	return s
}

func (f Flows) contains(t *packets.Tuple) bool {
	a, b := &f.ends[0], &f.ends[1]
	return a.at(t.Src(), t.SrcPort()) && b.at(t.Dst(), t.DstPort()) ||
		a.at(t.Dst(), t.DstPort()) && b.at(t.Src(), t.SrcPort())
}

func (e *end) at(host netip.Addr, port uint16) bool {
	return (!e.hosts.IsValid() || e.hosts.Contains(host)) && (e.port == 0 || e.port == port)
}

// Only is a source of the packets of some flows. It serves to measure the distribution of delays of a subset of the
// traffic (§2.3, §6.2). Only requests of the subset then take entries of a fridge.
type Only struct {
	in    packets.Source
	flows Flows
	// Others is the number of omitted packets, which are packets of other flows.
	Others int64
}

// NewOnly makes an Only of the packets of in.
func NewOnly(in packets.Source, flows Flows) *Only { return &Only{in: in, flows: flows} }

// Next writes the next packet of the selected flows to p.
func (o *Only) Next(p *packets.Packet) bool {
	for o.in.Next(p) {
		if o.flows.contains(&p.Tuple) {
			return true
		}
		o.Others++
	}
	return false
}

// Err returns the error that ended the packets early.
func (o *Only) Err() error { return o.in.Err() }
