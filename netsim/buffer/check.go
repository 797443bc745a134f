package buffer

import (
	"fmt"

	"pintlab/netsim/unit"
)

// Check returns an error if a rule of the accounting does not hold.
func (b *Shared) Check() error {
	bounded := b.cfg.Free == nil
	if b.total < 0 || bounded && b.total > b.cfg.Total {
		return fmt.Errorf("buffer: %d bytes held of %d", b.total, b.cfg.Total)
	}
	if !b.cfg.Lossless {
		return nil
	}
	var total, shared unit.Bytes
	for i := range b.shares {
		s := &b.shares[i]
		port, class := i%b.ports, i/b.ports
		if s.used < 0 || s.headroom < 0 || s.headroom > s.limit {
			return fmt.Errorf("buffer: port %d class %d: %d bytes, and %d in a headroom of %d",
				port, class, s.used, s.headroom, s.limit)
		}
		total += s.used + s.headroom
		shared += b.over(s)
	}
	if total != b.total {
		return fmt.Errorf("buffer: the shares hold %d bytes, the switch %d", total, b.total)
	}
	if shared != b.shared || bounded && shared > b.pool {
		return fmt.Errorf("buffer: the shares take %d bytes of a pool of %d, %d by its count", shared, b.pool, b.shared)
	}
	return nil
}
