package hpcc

import (
	"slices"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
)

// marked returns a scheme in which switches mark packets. The thresholds are proportional to the rate of a port (HPCC
// §5.1); kmin and kmax are the thresholds at 100 Gb/s.
func marked(name, kmin, kmax, pmax, kind string, set ...string) study.Scheme {
	return study.Scheme{Name: name, Set: slices.Concat([]string{"cc.kind=" + kind}, set, []string{"telemetry.kind=none",
		"network.ecn.enabled=true", "network.ecn.kmin=" + kmin, "network.ecn.kmax=" + kmax,
		"network.ecn.pmax=" + pmax})}
}

// The schemes. DCQCN, TIMELY and DCTCP follow the rules and parameters of the published HPCC simulator. If such a
// scheme has a window, the window is the rate times the base RTT. The other schemes follow their papers.
var (
	HPCC     = study.Scheme{Name: "HPCC, INT"}
	PINT     = study.Scheme{Name: "HPCC, PINT", Set: []string{"telemetry.kind=pint"}}
	DCQCN    = marked("DCQCN", "400KB", "1600KB", "0.2", "dcqcn", figure.PublishedDCQCN...)
	DCQCNWin = marked("DCQCN+win", "400KB", "1600KB", "0.2", "dcqcn",
		append(slices.Clip(figure.PublishedDCQCN), "cc.window=scaled")...)
	Timely = study.Scheme{Name: "TIMELY",
		Set: slices.Concat([]string{"telemetry.kind=none", "cc.kind=timely"}, figure.PublishedTIMELY)}
	TimelyWin = study.Scheme{Name: "TIMELY+win",
		Set: slices.Concat([]string{"telemetry.kind=none", "cc.kind=timely", "cc.window=scaled"},
			figure.PublishedTIMELY)}
	DCTCP = marked("DCTCP", "300KB", "300KB", "1", "dctcp", figure.PublishedDCTCP...)
	Swift = study.Scheme{Name: "Swift",
		Set: slices.Concat([]string{"telemetry.kind=none", "cc.kind=swift"}, figure.Swift)}
	Power     = study.Scheme{Name: "PowerTCP, INT", Set: []string{"cc.kind=powertcp"}}
	PowerPINT = study.Scheme{Name: "PowerTCP, PINT",
		Set: []string{"cc.kind=powertcp", "telemetry.kind=pint", "telemetry.plan=powertcp"}}
	Theta = study.Scheme{Name: "θ-PowerTCP",
		Set: []string{"telemetry.kind=none", "cc.kind=powertcp", "cc.power=theta"}}
	NDP = study.Scheme{Name: "NDP", Set: []string{
		"telemetry.kind=none", "transport.kind=ndp", "cc.kind=ndp", "network.pfc.enabled=false",
		"network.trimming.enabled=true",
		"network.scheduling.kind=wrr", "network.scheduling.weights=[7=10]", "network.balancing.kind=permute",
	}}
)

// All lists the schemes in the order of the figures; few lists the schemes of the smoke scale.
var (
	All = []study.Scheme{HPCC, PINT, DCQCN, DCQCNWin, Timely, TimelyWin, DCTCP, Swift, Power, PowerPINT, Theta, NDP}
	few = []study.Scheme{HPCC, PINT, DCQCN}
)

// settings records the settings of each scheme.
func settings(j *figure.Job, schemes []study.Scheme) {
	published := []string{DCQCN.Name, DCQCNWin.Name, Timely.Name, TimelyWin.Name, DCTCP.Name}
	for _, s := range schemes {
		source := ""
		if slices.Contains(published, s.Name) {
			source = "published HPCC simulator"
		}
		j.Setting(s.Name, source, "%s", s.Changes())
	}
}
