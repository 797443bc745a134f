package bench

import (
	"strings"

	"pintlab/experiments/figures/figure"
)

// Scheme is a congestion control with its feedback.
type Scheme struct {
	Name string
	Set  []string // in a scenario with HPCC over INT
}

// marked is a scheme whose switches mark, in proportion to the rate of a port (HPCC §5.1); kmin and kmax
// are those at 100 Gb/s.
func marked(name, kmin, kmax, pmax string, set ...string) Scheme {
	return Scheme{name, append(set, "telemetry.kind=none",
		"network.ecn.enabled=true", "network.ecn.kmin="+kmin, "network.ecn.kmax="+kmax, "network.ecn.pmax="+pmax)}
}

// The schemes. DCQCN, TIMELY and DCTCP have the rules and parameters of the published HPCC simulator,
// those with a window that of rate times base RTT; the others are as their papers have them.
var (
	HPCC      = Scheme{Name: "HPCC, INT"}
	PINT      = Scheme{"HPCC, PINT", []string{"telemetry.kind=pint"}}
	DCQCN     = marked("DCQCN", "400KB", "1600KB", "0.2", "cc.kind=dcqcn", "cc.variant=ns3")
	DCQCNWin  = marked("DCQCN+win", "400KB", "1600KB", "0.2", "cc.kind=dcqcn", "cc.variant=ns3", "cc.window=scaled")
	Timely    = Scheme{"TIMELY", []string{"telemetry.kind=none", "cc.kind=timely", "cc.variant=ns3"}}
	TimelyWin = Scheme{"TIMELY+win", []string{"telemetry.kind=none", "cc.kind=timely", "cc.variant=ns3", "cc.window=scaled"}}
	DCTCP     = marked("DCTCP", "300KB", "300KB", "1", "cc.kind=dctcp", "cc.form=rate")
	Swift     = Scheme{"Swift", []string{"telemetry.kind=none", "cc.kind=swift"}}
	Power     = Scheme{"PowerTCP, INT", []string{"cc.kind=powertcp"}}
	PowerPINT = Scheme{"PowerTCP, PINT", []string{"cc.kind=powertcp", "telemetry.kind=pint", "telemetry.plan=powertcp"}}
	Theta     = Scheme{"θ-PowerTCP", []string{"telemetry.kind=none", "cc.kind=powertcp", "cc.power=theta"}}
	NDP       = Scheme{"NDP", []string{
		"telemetry.kind=none", "transport.kind=ndp", "cc.kind=ndp", "network.pfc.enabled=false", "network.trimming.enabled=true",
		"network.scheduling.kind=wrr", "network.scheduling.weights=[7=10]", "network.balancing.kind=permute",
	}}
)

// All are the schemes in the order in which they are shown; few are enough to see that a figure works.
var (
	All = []Scheme{HPCC, PINT, DCQCN, DCQCNWin, Timely, TimelyWin, DCTCP, Swift, Power, PowerPINT, Theta, NDP}
	few = []Scheme{HPCC, PINT, DCQCN}
)

// Settings tells what is set for each scheme.
func Settings(j *figure.Job, schemes []Scheme) {
	for _, s := range schemes {
		source := ""
		switch s.Name {
		case DCQCN.Name, DCQCNWin.Name, Timely.Name, TimelyWin.Name, DCTCP.Name:
			source = "published HPCC simulator"
		}
		value := strings.Join(s.Set, " ")
		if value == "" {
			value = "as the preset has it"
		}
		j.Setting(s.Name, source, "%s", value)
	}
}
