package hpcc

import (
	"math"

	"pintlab/transport/ns3"
)

func (*Params) Recorded(hops bool) *ns3.Format {
	name, feedback := "HPCC and INT", []ns3.Column{
		ns3.Real("Umax", "sample"), ns3.Nanoseconds("dt", "span"), ns3.Real("u", "load"),
	}
	if !hops {
		power := ns3.Count("power", "code")
		power.Max = math.MaxUint32
		name, feedback = "HPCC and PINT", []ns3.Column{power, ns3.Real("U", "load")}
	}
	columns := append([]ns3.Column{ns3.Flag("fast", "fast")}, feedback...)
	return &ns3.Format{Name: name, Hops: hops,
		Kinds: ns3.RateOnly(append(columns, ns3.Rate("rate", "rate"),
			ns3.Rate("cur", "reference"))...)}
}
