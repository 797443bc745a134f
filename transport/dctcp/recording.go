package dctcp

import "pintlab/transport/ns3"

func (*Params) Recorded(bool) *ns3.Format {
	return &ns3.Format{Name: "DCTCP", Kinds: ns3.EveryAck(
		ns3.Marks(), ns3.Rate("rate", "rate"), ns3.Real("alpha", "alpha"),
		ns3.Count("ecn", "marked"), ns3.Count("batch", "batch"), ns3.Flag("cwr", "reduced"),
		ns3.Count("high", "high"), ns3.Count("upd", "update_seq"),
	)}
}
