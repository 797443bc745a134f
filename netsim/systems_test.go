package netsim_test

import (
	"pintlab/hpcc"
	inband "pintlab/int"
	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
	"pintlab/pint"
	"pintlab/pint/approx"
	"pintlab/transport"
	"pintlab/transport/cctest"
	"pintlab/transport/recovery"
	"pintlab/transport/reno"
)

// systems are the transports that the tests of this package use. Package experiments/sim combines the same parts.
var systems = []string{"hpcc-int", "hpcc-int-wire", "hpcc-rate", "hpcc-pint", "hpcc-pint16", "newreno", "reno",
	"tahoe", "window"}

// system returns a lab that runs one of systems on a graph. HPCC's T is 13 us.
func system(name string, g *topo.Graph) cctest.Lab {
	const t = 13 * unit.Microsecond
	l := cctest.Lab{Graph: g, Transport: cctest.RDMA()}
	var standard hpcc.Params
	(&schema.Language{}).Default(&standard)
	standard.T, standard.WAI = t, 80
	window := standard.Config(nil)
	switch name {
	case "hpcc-int", "hpcc-int-wire", "hpcc-rate":
		spec := inband.Exact()
		if name == "hpcc-int-wire" {
			spec = inband.Published()
			spec.RateBits, spec.Rates = 0, nil
		}
		q := must(inband.NewQuantizer(spec))
		cfg := window
		if name == "hpcc-rate" {
			line := 100 * unit.Gbps
			cfg = hpcc.Config{Form: hpcc.Rate, Eta: 0.95, T: t, RAI: 50 * unit.Mbps, MinRate: 100 * unit.Mbps,
				BDP: line.In(t)}
		}
		var fields telemetry.Fields
		if name == "hpcc-int-wire" {
			fields = q
		}
		l.Transport.Telemetry, l.Transport.Echo = 42, true
		l.Taps = func(*netsim.Network) []netsim.Tap { return []netsim.Tap{inband.NewStamper(q, nil)} }
		l.Control = func(n *netsim.Network) transport.Factory {
			return must(hpcc.New(cfg, func() hpcc.Gauge { return hpcc.NewINT(n.PortRate, fields) }))
		}
	case "hpcc-pint", "hpcc-pint16":
		code := must(approx.New(approx.Utilization()))
		o := pint.UtilizationOptions{Mask: 255}
		var carries func(key uint64) bool
		if name == "hpcc-pint16" {
			o.Carries = func(key uint64) bool { return key%16 == 0 }
			carries = o.Carries
		}
		l.Transport.Telemetry, l.Transport.Echo = 1, true
		l.Taps = func(n *netsim.Network) []netsim.Tap {
			o.Seed = l.Seed
			byRate := map[unit.Rate]*approx.Exact{}
			return []netsim.Tap{pint.NewUtilization(n.Ports(), func(p netsim.PortID) pint.Arithmetic {
				r := n.PortRate(p)
				if byRate[r] == nil {
					byRate[r] = must(approx.NewExact(r, t, code))
				}
				return byRate[r]
			}, o)}
		}
		l.Control = func(*netsim.Network) transport.Factory {
			return must(hpcc.New(window,
				func() hpcc.Gauge { return hpcc.NewDigest(telemetry.Digest{Code: code, Carries: carries, Mask: 255}) }))
		}
	case "newreno", "reno", "tahoe":
		l.Transport = cctest.TCP()
		l.Transport.Recovery = map[string]recovery.Kind{"newreno": recovery.NewReno, "reno": recovery.Reno,
			"tahoe": recovery.Tahoe}[name]
		l.Control = func(*netsim.Network) transport.Factory { return must((&reno.Params{InitialWindow: 10}).New(nil)) }
	case "window": // no congestion control
		l.Control = func(*netsim.Network) transport.Factory { return cctest.Fixed(30_000, unit.Tbps) }
	default:
		panic(name)
	}
	return l
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
