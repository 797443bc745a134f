package dctcp

import "pintlab/transport/recording"

func (*Params) Recorded(bool) *recording.Format {
	return &recording.Format{Name: "DCTCP", Kinds: recording.EveryAck(
		recording.Marks(), recording.Rate("rate", "rate"), recording.Real("alpha", "alpha"),
		recording.Count("ecn", "marked"), recording.Count("batch", "batch"), recording.Flag("cwr", "reduced"),
		recording.Count("high", "high"), recording.Count("upd", "update_seq"),
	)}
}
