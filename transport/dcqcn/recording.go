package dcqcn

import (
	"pintlab/transport"
	"pintlab/transport/ns3"
)

func (*Params) Recorded(bool) *ns3.Format {
	rate, target, stage := ns3.Rate("rate", "rate"), ns3.Rate("target", "target"),
		ns3.Count("stage", "stage")
	alpha := ns3.Real("alpha", "alpha")
	before := stage.As(func(s *transport.Step) float64 { return s.Term("stage") - 1 })
	return &ns3.Format{Name: "DCQCN",
		Kinds: append(ns3.EveryAck(ns3.Marks(), rate, target, alpha, stage),
			ns3.Alarm("DEC", cutAlarm, rate, target, alpha),
			ns3.Alarm("INC", raiseAlarm, rate, target, before))}
}
