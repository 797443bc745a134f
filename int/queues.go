package inband

import (
	"errors"

	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/buffer"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

const classes = buffer.Classes

// queueing counts the bytes of each queue of each port, for records that describe the packet's queue. HPCC then divides
// the guaranteed rate of the queue among its flows, and not the rate of the port. draft-miao-tsv-hpcc suggests this
// without a formula. With a share w of a link of rate B, HPCC computes U = txRate/(w·B) + sojourn/T. A record contains
// the bytes sent divided by w, and the time that the packet has waited, converted to bytes at rate B, so that Algorithm
// 1 needs no change.
type queueing struct {
	share [classes]struct{ of, all unit.Bytes } // w by class
	sent  [][classes]unit.Bytes                 // by port and class
}

func newQueueing(s *telemetry.Site) (*queueing, error) {
	if len(s.Weights) == 0 {
		return nil, errors.New("telemetry.of = queue: the classes have no guaranteed shares with " +
			"network.scheduling.kind = strict (accepted: port; or turns, drr, wrr)")
	}
	q := &queueing{sent: make([][classes]unit.Bytes, s.Net.Ports())}
	sum := lists.Sum(s.Weights, func(w int) unit.Bytes { return unit.Bytes(w) })
	for class, w := range s.Weights {
		q.share[class].of, q.share[class].all = unit.Bytes(max(1, w)), sum
	}
	return q, nil
}

// read returns two numbers: the bytes that the packet's queue has sent before this packet, divided by the queue's
// share; and the waiting time of the packet, in bytes.
func (q *queueing) read(h *netsim.Hop) (sent, queue unit.Bytes) {
	x, share := &q.sent[h.Port][h.Packet.Class], &q.share[h.Packet.Class]
	sent = *x * share.all / share.of
	*x += unit.Bytes(h.Packet.Size)
	if h.Packet.Kind != netsim.Data {
		return sent, 0 // the port itself makes pause frames, so they have no time of arrival
	}
	return sent, h.Rate().In(h.Now - h.Packet.At)
}
