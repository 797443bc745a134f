package sim

import (
	"sync/atomic"

	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

// waits records how long data packets wait in queues of switches: the longest wait at each port, and the
// longest wait of each flow of a job with its port. It implements netsim.Tap.
type waits struct {
	ports []unit.Time
	flows []flowWait // hash table by flow key with linear probing
}

// flowWait has the longest wait of a flow in the upper bits and the port of this wait in the lower bits, so that the
// maximum does not depend on the order of concurrent workers.
type flowWait struct {
	key  uint64 // 0 in a free slot
	most atomic.Uint64
}

const (
	portBits = 24
	mostWait = 1<<(64-portBits) - 1 // 1.1 s
)

func newWaits(ports, flows int) *waits {
	n := 8
	for n < 2*flows {
		n *= 2
	}
	return &waits{make([]unit.Time, ports), make([]flowWait, n)}
}

// of returns the slot of a key, or the free slot for it.
func (w *waits) of(key uint64) *flowWait {
	mask := uint64(len(w.flows) - 1)
	for i := key & mask; ; i = (i + 1) & mask {
		if f := &w.flows[i]; f.key == key || f.key == 0 {
			return f
		}
	}
}

// add inserts the key of a flow.
func (w *waits) add(key uint64) { w.of(key).key = key }

// Dequeue implements netsim.Tap.
func (w *waits) Dequeue(h *netsim.Hop) {
	wait := h.Now - h.Packet.At
	if h.Packet.Kind != netsim.Data || wait <= 0 {
		return
	}
	w.ports[h.Port] = max(w.ports[h.Port], wait)
	f := w.of(h.FlowKey())
	if f.key == 0 {
		return
	}
	now := uint64(min(wait, mostWait))<<portBits | uint64(h.Port)
	for most := f.most.Load(); now > most && !f.most.CompareAndSwap(most, now); {
		most = f.most.Load()
	}
}

// queue returns the port at which a packet of the flow waited longest, and how long; the time is Never if no packet
// waited.
func (j *Jobs) queue(number int32) (string, unit.Time) {
	most := j.waits.of(transport.FlowKey(j.seed, number)).most.Load()
	if most == 0 {
		return "", unit.Never
	}
	return j.between(netsim.PortID(most & (1<<portBits - 1))), unit.Time(most >> portBits)
}
