package hpcc

import (
	"math"

	"pintlab/transport/recording"
)

func (*Params) Recorded(hops bool) *recording.Format {
	name, feedback := "HPCC and INT", []recording.Column{
		recording.Real("Umax", "sample"), recording.Nanoseconds("dt", "span"), recording.Real("u", "load"),
	}
	if !hops {
		power := recording.Count("power", "code")
		power.Max = math.MaxUint32
		name, feedback = "HPCC and PINT", []recording.Column{power, recording.Real("U", "load")}
	}
	columns := append([]recording.Column{recording.Flag("fast", "fast")}, feedback...)
	return &recording.Format{Name: name, Hops: hops,
		Kinds: recording.RateOnly(append(columns, recording.Rate("rate", "rate"),
			recording.Rate("cur", "reference"))...)}
}
