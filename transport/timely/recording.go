package timely

import (
	"math"

	"pintlab/transport"
	"pintlab/transport/recording"
)

// Recorded implements recording.Control. The mark is not compared, because our switches set none
// for TIMELY.
func (*Params) Recorded(bool) *recording.Format {
	difference := recording.Real("rttdiff", "difference")
	difference.Min = math.Inf(-1)
	return &recording.Format{Name: "TIMELY", Kinds: recording.EveryAck(
		recording.Flag("cnp", "").As(nil),
		recording.Count("rtt", "").As(func(s *transport.Step) float64 { return float64(s.Ack.RTT.Nanoseconds()) }),
		recording.Rate("rate", "rate"), recording.Nanoseconds("lastrtt", "last_rtt"), difference,
		recording.Count("stage", "stage"), recording.Count("upd", "update_seq"),
	)}
}
