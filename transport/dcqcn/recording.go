package dcqcn

import (
	"pintlab/transport"
	"pintlab/transport/recording"
)

func (*Params) Recorded(bool) *recording.Format {
	rate, target, stage := recording.Rate("rate", "rate"), recording.Rate("target", "target"),
		recording.Count("stage", "stage")
	alpha := recording.Real("alpha", "alpha")
	before := stage.As(func(s *transport.Step) float64 { return s.Term("stage") - 1 })
	return &recording.Format{Name: "DCQCN",
		Kinds: append(recording.EveryAck(recording.Marks(), rate, target, alpha, stage),
			recording.Alarm("DEC", cutAlarm, rate, target, alpha),
			recording.Alarm("INC", raiseAlarm, rate, target, before))}
}
