package timely

import (
	"math"

	"pintlab/transport"
	"pintlab/transport/ns3"
)

// Recorded implements ns3.Recorder. The mark is not compared, because our switches set none
// for TIMELY.
func (*Params) Recorded(bool) *ns3.Format {
	difference := ns3.Real("rttdiff", "difference")
	difference.Min = math.Inf(-1)
	return &ns3.Format{Name: "TIMELY", Kinds: ns3.EveryAck(
		ns3.Flag("cnp", "").As(nil),
		ns3.Count("rtt", "").As(func(s *transport.Step) float64 { return float64(s.Ack.RTT.Nanoseconds()) }),
		ns3.Rate("rate", "rate"), ns3.Nanoseconds("lastrtt", "last_rtt"), difference,
		ns3.Count("stage", "stage"), ns3.Count("upd", "update_seq"),
	)}
}
