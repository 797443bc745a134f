package compare

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/measure/pint"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/protocols"
	"pintlab/internal/lists"
	"pintlab/internal/spelling"
)

// choice lists the schemes to compare, in the order of tables and legends.
type choice struct {
	schemes []study.Scheme
	pairs   [][2]study.Scheme // pairs of schemes; the first is divided by the second
	curves  int               // number of leading pairs that are also compared by flow size

	standard bool // the default schemes of the command
	full     bool // longer runs
}

// The schemes of the PINT paper.
var (
	hpccINT  = study.Scheme{Name: "HPCC, INT"}
	hpccStd  = study.Scheme{Name: "HPCC, standard INT", Set: pint.StandardINT.Set}
	hpccPINT = study.Scheme{Name: "HPCC, PINT", Preset: "-pint"}
	renoINT  = study.Scheme{Name: "Reno, INT bytes", Preset: "-reno"}
	reno     = study.Scheme{Name: "Reno", Preset: "-reno", Set: []string{"telemetry.kind=none"}}
)

// short has the default sizes of the command, and full has the sizes of --full.
var (
	short = choice{
		schemes: []study.Scheme{hpccINT, hpccPINT, reno},
		pairs:   [][2]study.Scheme{{hpccPINT, hpccINT}, {reno, hpccINT}},
		curves:  1, standard: true,
	}
	full = choice{
		schemes: []study.Scheme{hpccINT, hpccStd, hpccPINT, renoINT, reno},
		pairs: [][2]study.Scheme{{hpccPINT, hpccINT}, {reno, hpccINT}, {hpccPINT, hpccStd}, {hpccINT, renoINT},
			{renoINT, reno}},
		curves: 1, standard: true, full: true,
	}
)

// control is a scheme that a user may choose by its name on the command line.
type control struct {
	name string
	study.Scheme
}

// rdma returns a control that uses the RDMA-like transport and reads no telemetry.
func rdma(name, shown string, set ...string) control {
	return control{name, study.Scheme{Name: shown, Set: append(set, "telemetry.kind=none")}}
}

// marks returns settings for the switches' ECN marking. The arguments come from a preset of the published HPCC
// simulator for 100 Gb/s.
func marks(kmin, kmax, pmax string) []string {
	return []string{"network.ecn.enabled=true", "network.ecn.kmin=" + kmin, "network.ecn.kmax=" + kmax,
		"network.ecn.pmax=" + pmax}
}

// controls lists the schemes that a user may choose by name. Each has its own default settings.
var controls = []control{
	{"hpcc", hpccINT},
	{"hpcc-pint", hpccPINT},
	{"powertcp", study.Scheme{Name: "PowerTCP, INT", Set: []string{"cc.kind=powertcp"}}},
	{"powertcp-pint",
		study.Scheme{Name: "PowerTCP, PINT",
			Set: []string{"cc.kind=powertcp", "telemetry.kind=pint", "telemetry.plan=powertcp"}}},
	rdma("theta-powertcp", "θ-PowerTCP", "cc.kind=powertcp", "cc.power=theta"),
	rdma("swift", "Swift", slices.Concat([]string{"cc.kind=swift"}, figure.Swift)...),
	rdma("timely", "TIMELY", slices.Concat([]string{"cc.kind=timely"}, figure.TIMELY)...),
	rdma("dcqcn", "DCQCN", slices.Concat(marks("400KB", "1600KB", "0.2"), []string{"cc.kind=dcqcn"}, figure.DCQCN)...),
	rdma("dctcp", "DCTCP",
		slices.Concat(marks("300KB", "300KB", "1"), []string{"cc.kind=dctcp"}, figure.PublishedDCTCP)...),
	rdma("ndp", "NDP", "transport.kind=ndp", "cc.kind=ndp", "network.pfc.enabled=false",
		"network.trimming.enabled=true",
		"network.scheduling.kind=wrr", "network.scheduling.weights=[7=10]", "network.balancing.kind=permute"),
	{"reno", reno},
	{"cubic", study.Scheme{Name: "CUBIC", Preset: "-reno", Set: []string{"cc.kind=cubic", "telemetry.kind=none"}}},
	{"nscc", forms["nscc"]},
	{"rccc", forms["rccc"]},
}

// forms lists variants of controls that have separate names. They work on any scenario.
var forms = map[string]study.Scheme{
	"nscc":           {Name: "NSCC", Set: []string{"cc.kind=uet", "cc.control=nscc"}},
	"rccc":           {Name: "RCCC", Set: []string{"cc.kind=uet", "cc.control=rccc"}},
	"theta-powertcp": {Name: "θ-PowerTCP", Set: []string{"cc.kind=powertcp", "cc.power=theta"}},
}

// Controls returns the names that Of accepts: the names in this package, and further names of package protocols.
func Controls(set *protocols.Set) []string {
	names := lists.Map(controls, func(c control) string { return c.name })
	for _, kind := range set.Controls.Names() {
		if !slices.Contains(names, kind) {
			names = append(names, kind)
		}
	}
	return names
}

// controlOf returns the control with the given name. If the name is not in the list controls, the scenario adds the
// settings that the control needs.
func controlOf(set *protocols.Set, name string) study.Scheme {
	if i := slices.IndexFunc(controls, func(k control) bool { return k.name == name }); i >= 0 {
		return controls[i].Scheme
	}
	return study.Scheme{Name: set.Controls.Title(name), Set: []string{"cc.kind=" + name}}
}

// Of returns a figure that compares the named controls with the first of them. If longer is set, runs are as long as in
// Full.
func Of(set *protocols.Set, names []string, longer bool) (*figure.Figure, error) {
	c := &choice{full: longer}
	known := Controls(set)
	for i, name := range names {
		switch {
		case !slices.Contains(known, name):
			return nil, fmt.Errorf("%q: want one of %s%s", name, strings.Join(known, ", "), spelling.Hint(name, known))
		case slices.Contains(names[:i], name):
			return nil, fmt.Errorf("%q occurs twice", name)
		}
		c.schemes = append(c.schemes, controlOf(set, name))
	}
	if len(c.schemes) < 2 {
		return nil, fmt.Errorf("want at least two of %s", strings.Join(known, ", "))
	}
	for _, s := range c.schemes[1:] {
		c.pairs = append(c.pairs, [2]study.Scheme{s, c.schemes[0]})
	}
	c.curves = len(c.pairs)
	f := c.comparison().figure()
	return &f, nil
}
