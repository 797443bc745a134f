package pint_test

import (
	"testing"

	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/pint"
	"pintlab/transport/cctest"
)

// Three packets of 1048 B reach the second switch 83.84 ns apart. Each takes 838.4 ns on the slow link. When the first
// packet leaves, no other packet has arrived. When the second packet leaves, the third is waiting, so two packets have
// arrived since the first left. Nothing arrives after that, so the third packet causes no update. Much later, one more
// packet arrives. The link was idle, so the whole time counts.
//
// In the second case, the late packet arrives before the burst has left. This wait counts as Drain.
func TestPowerUpdatesWithWhatHasCome(t *testing.T) {
	for _, tt := range []struct {
		second unit.Time // when the next packet starts
		size   unit.Bytes
		want   []string
	}{
		{50 * unit.Microsecond, 1000, []string{"0 never 0 1048", "1 838.4ns 1048 2096", "2 49161.6ns 0 1048"}},
		// The burst leaves at 0, 838.4 and 1676.8 ns; the late packet arrives before the third packet leaves.
		{1400 * unit.Nanosecond, 1000, []string{"0 never 0 1048", "1 838.4ns 1048 2096", "2 200ns 1048 1048"}},
	} {
		ledgers := map[netsim.PortID]*ledger{}
		late := cctest.Flow(0, 1, tt.size)
		late.Start = tt.second
		r := cctest.Lab{
			Graph: slowChain(2), Transport: cctest.RDMA(),
			Taps: func(n *netsim.Network) []netsim.Tap {
				return []netsim.Tap{pint.NewPower(n.Ports(), func(p netsim.PortID) pint.Arithmetic {
					ledgers[p] = &ledger{}
					return ledgers[p]
				}, pint.PowerOptions{Drain: 200 * unit.Nanosecond, Mask: 255})}
			},
		}.Run(t, cctest.Flow(0, 1, 3000), late)
		check(t, "updates", ledgers[r.Between(3, 1)].updates, tt.want...)
	}
}

// A packet carries the largest code of its path. A packet that does not carry the digest has no code.
func TestPowerWritesTheLargestCode(t *testing.T) {
	for _, carries := range []bool{true, false} {
		want := uint64(0)
		if carries {
			want = 200
		}
		codes := map[netsim.NodeID]uint32{2: 100, 3: 200, 4: 50} // by switch
		seen := 0
		cctest.Lab{
			Graph: slowChain(3), Transport: cctest.RDMA(),
			Taps: func(n *netsim.Network) []netsim.Tap {
				return []netsim.Tap{
					pint.NewPower(n.Ports(), func(p netsim.PortID) pint.Arithmetic {
						from, _ := n.PortEnds(p)
						return &ledger{code: codes[from]}
					}, pint.PowerOptions{Mask: 255, Carries: func(uint64) bool { return carries }}),
					tap(func(h *netsim.Hop) {
						if h.Packet.Kind == netsim.Data && h.Switch == 4 {
							seen++
							if h.Packet.Digest != want {
								t.Errorf("digest %d, want %d", h.Packet.Digest, want)
							}
						}
					}),
				}
			},
		}.Run(t, cctest.Flow(0, 1, 5000))
		if seen != 5 {
			t.Errorf("%d packets", seen)
		}
	}
}
