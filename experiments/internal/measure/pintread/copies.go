package pintread

import "net/netip"

// copies recognises reports that a capture contains several times, because they have passed several captured ports. A
// report is repeated within the time that it needs to pass the network, so copies remembers only the newest reports.
type copies struct {
	newest, older map[content]bool
}

// content contains the report of a host about a packet. The number of the packet in its flow makes it unique.
type content struct {
	src, dst netip.AddrPort
	report   string // hops, packet number and digest
}

// remembered is the number of reports in each of the two maps of copies. A map of this size takes about 20 MB.
const remembered = 1 << 17

// seen reports whether a report is a copy of one of the newest reports, of which there are at least remembered.
func (c *copies) seen(x content) bool {
	if c.newest[x] || c.older[x] {
		return true
	}
	if c.newest == nil || len(c.newest) == remembered {
		c.newest, c.older = map[content]bool{}, c.newest
	}
	c.newest[x] = true
	return false
}
