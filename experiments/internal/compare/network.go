package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/study"
	"pintlab/experiments/protocols"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/lists"
	"pintlab/internal/spelling"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// Networks configures a comparison on the user's networks and traffic. It compares all combinations of the named
// controls, telemetry systems and balancers. If no control, no system or no balancer is named, the scenario's own is
// used.
type Networks struct {
	Language  *scenario.Language // nil: standard
	Bases     []string           // scenario files or presets
	Controls  []string
	Systems   []string
	Balancers []string
	Vary      Variation
}

// freeINT is INT without bytes on the wire, which shows the benefit of INT without its cost.
const freeINT = "free"

// Systems lists the telemetry systems that Networks accepts.
func Systems(set *protocols.Set) []string { return append(set.Telemetry.Names(), freeINT) }

// NetworkControls lists the controls that Networks accepts: all kinds of controls, and named forms of some.
func NetworkControls(set *protocols.Set) []string {
	return append(set.Controls.Names(), slices.Sorted(maps.Keys(forms))...)
}

// Network is the figure that shows stored comparisons of Networks.
var Network = (&networks{}).comparison().figure()

// networks is a comparison whose cases are scenarios.
type networks struct{ groups []group }

// LongFlows is the size above which goodput is measured on the user's networks. The runs there are often short, and
// have few larger flows.
const LongFlows = 1 * unit.MB

// Figure returns the comparison and the runs that it makes with one seed.
func (n Networks) Figure() (*figure.Figure, []campaign.Spec, error) {
	set := n.Language.Protocols()
	for _, x := range []struct {
		flag        string
		list, known []string
	}{{"--cc", n.Controls, NetworkControls(set)}, {"--telemetry", n.Systems, Systems(set)},
		{"--balancing", n.Balancers, set.Balancers.Names()}} {
		for i, w := range x.list {
			kind, system, _ := strings.Cut(w, "-")
			switch {
			case slices.Contains(x.known, w):
			case x.flag == "--cc" && slices.Contains(Controls(set), w):
				return nil, nil, fmt.Errorf("--cc %q: with a scenario, --telemetry selects the telemetry: "+
					"want --cc %s --telemetry int,%s", w, kind, system)
			default:
				return nil, nil, fmt.Errorf("%s %q: want one of %s%s", x.flag, w, strings.Join(x.known, ", "),
					spelling.Hint(w, x.known))
			}
			if slices.Contains(x.list[:i], w) {
				return nil, nil, fmt.Errorf("%s %q occurs twice", x.flag, w)
			}
		}
	}
	c := &networks{}
	var specs []campaign.Spec
	for _, base := range n.Bases {
		list, err := n.groups(base)
		if err != nil {
			return nil, nil, err
		}
		if g := list[0]; slices.ContainsFunc(c.groups, func(x group) bool { return x.name == g.name }) {
			return nil, nil, fmt.Errorf("%s: another scenario also has the name %s", base, g.name)
		}
		c.groups = append(c.groups, list...)
		for _, g := range list {
			for _, e := range g.entries {
				specs = append(specs, e.Spec(1))
			}
		}
	}
	f := c.comparison().figure()
	return &f, specs, nil
}

// groups returns the schemes on a scenario, once for each value of the key that varies.
func (n Networks) groups(base string) (list []group, err error) {
	if len(n.Vary.Values) == 0 {
		g, err := n.group(base, "")
		if err != nil {
			return nil, err
		}
		return []group{*g}, nil
	}
	for _, v := range n.Vary.Values {
		g, err := n.group(base, v)
		if err != nil {
			return nil, err
		}
		list = append(list, *g)
	}
	return list, nil
}

// group returns the schemes on a scenario, for one value of the key that varies. The value is "" if no key varies.
func (n Networks) group(base, value string) (*group, error) {
	var varied []string
	if value != "" {
		varied = []string{n.Vary.Key + "=" + value}
	}
	own, err := n.Language.Open(base, varied...)
	if err != nil {
		if value != "" {
			err = fmt.Errorf("--vary: %w", err)
		}
		return nil, err
	}
	g := &group{name: own.Name, runs: own.Name}
	if value != "" {
		g.name += ", " + n.Vary.Short() + " " + value
		g.runs = g.name
	}
	hashes := map[string]string{}
	parts, err := n.parts(base, varied)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		for _, x := range p.systems {
			for _, balancer := range orNone(n.Balancers) {
				set := slices.Concat(p.set, x)
				if balancer != "" {
					set = append(set, "network.balancing.kind="+balancer)
				}
				sc, brought, err := n.Language.OpenNoting(base, set...)
				if err != nil {
					return nil, fmt.Errorf("%s with %s: %w", base, strings.Join(set, " "), err)
				}
				hash, err := sc.Hash()
				if err != nil {
					return nil, err
				}
				name := schemeName(&sc, forms[p.control].Name, p.reads || len(x) > 0, balancer)
				if other, ok := hashes[hash]; ok {
					return nil, fmt.Errorf("%s: %s and %s are the same in this scenario", base, other, name)
				}
				hashes[hash] = name
				g.entries = append(g.entries, study.Cell{
					Case: g.name, Scheme: name, X: math.NaN(), Label: name + ", " + g.name, Base: base, Set: set,
					Long: LongFlows,
				})
				g.brought = append(g.brought, brought)
			}
		}
	}
	if len(g.entries) < 2 {
		return nil, errors.New("want at least two schemes: name controls with --cc, telemetry systems that the " +
			"control can read with --telemetry, or balancers with --balancing")
	}
	g.againstFirst()
	return g, nil
}

// part is a control on a scenario.
type part struct {
	control string
	set     []string   // assignments that choose the control
	reads   bool       // whether the control reads telemetry
	systems [][]string // for each telemetry system, its assignments; no assignments keep the system of the scenario
}

// parts returns the controls on a scenario, with their telemetry systems. A control that reads no telemetry runs with
// each system that it accepts (none and bytes). If another control reads the other systems, this control runs without
// them; if no control reads them, they are an error of Open.
func (n Networks) parts(base string, varied []string) (list []part, err error) {
	anyReads := false
	for _, control := range orNone(n.Controls) {
		p := part{control: control, set: slices.Clone(varied)}
		if of := forms[control].Set; of != nil {
			p.set = append(p.set, of...)
		} else if control != "" {
			p.set = append(p.set, "cc.kind="+control)
		}
		sc, err := n.Language.Open(base, p.set...)
		if err != nil {
			return nil, fmt.Errorf("--cc %s: %w", control, err)
		}
		p.reads = len(sc.CC.Control().Needs().Feedback) > 0
		anyReads = anyReads || p.reads
		list = append(list, p)
	}
	for i := range list {
		p, others := &list[i], 0
		for _, system := range orNone(n.Systems) {
			var set []string
			switch system {
			case "":
			case freeINT:
				set = []string{"telemetry.kind=int", "telemetry.format=free"}
			default:
				set = []string{"telemetry.kind=" + system}
			}
			if !p.reads && anyReads {
				if _, err := n.Language.Open(base, slices.Concat(p.set, set)...); err != nil {
					set = nil
				}
			}
			if len(set) == 0 {
				if others++; others > 1 {
					continue // the scheme would be the same again
				}
			}
			p.systems = append(p.systems, set)
		}
	}
	return list, nil
}

// orNone returns the list, or a list with one empty word if it is empty.
func orNone(list []string) []string {
	if len(list) == 0 {
		return []string{""}
	}
	return list
}

// schemeName returns a name made of the control or its form, the telemetry if it is read or was selected, and the
// balancer if one was selected.
func schemeName(sc *scenario.Scenario, form string, telemetry bool, balancer string) string {
	name := cmp.Or(form, sc.Protocols().Controls.Title(sc.CC.Kind))
	switch {
	case telemetry && sc.Telemetry.Kind == "int" && sc.Telemetry.Overhead() == 0:
		name += ", " + freeINT + " INT"
	case telemetry:
		name += ", " + sc.Protocols().Telemetry.Title(sc.Telemetry.Kind)
	}
	if balancer != "" {
		name += ", " + sc.Protocols().Balancers.Title(balancer)
	}
	return name
}

func (c *networks) comparison() comparison {
	seeds := looksAfter[len(looksAfter)-1]
	return comparison{
		name: "compare/network", title: "Schemes on the same flows and paths",
		source: "Networks and traffic of the user",
		scales: map[figure.Scale]sizes{"": {seeds: seeds, looks: true}},
		groups: c.cases, record: c.record,
	}
}

// cases returns the schemes of each entry of the workloads.
func (c *networks) cases(j *figure.Job, _ sizes) (cases []group, err error) {
	for _, g := range c.groups {
		specs, err := j.Changed([]campaign.Spec{g.entries[0].Spec(j.Seed)})
		if err != nil {
			return nil, err
		}
		sc, err := specs[0].Scenario()
		if err != nil {
			return nil, err
		}
		list, err := g.bySource(sc)
		if err != nil {
			return nil, err
		}
		cases = append(cases, list...)
	}
	return cases, nil
}

// record records the settings that controls change, and settings computed from their networks. It names the case only
// if a scheme has other settings in another case.
func (c *networks) record(ctx context.Context, j *figure.Job, m *measurement) error {
	type setting struct{ scheme, label, does, what string }
	var bases []string
	var all []setting
	for _, g := range c.groups {
		bases = append(bases, filepath.Base(g.entries[0].Base))
		of := figure.Find(m.groups, func(x *group) bool { return x.runs == g.name })
		for i, e := range of.entries {
			choices, err := sim.Choices(ctx, *m.results.Scenario(e))
			if err != nil {
				return err
			}
			list := lists.Map(choices, func(x schema.Settled) string { return x.Key + " = " + x.Value })
			all = append(all, setting{e.Scheme, e.Label, "sets", strings.Join(g.brought[i], " ")},
				setting{e.Scheme, e.Label, "takes from the network", strings.Join(list, ", ")})
		}
	}
	for i, x := range all {
		if !slices.ContainsFunc(all, func(o setting) bool {
			return o.scheme == x.scheme && o.does == x.does && o.what != x.what
		}) {
			all[i].label = x.scheme
		}
	}
	for _, x := range lists.Distinct(all, func(x setting) setting { return x }) {
		if x.what != "" {
			j.Setting(x.label+" "+x.does, "", "%s", x.what)
		}
	}
	j.Footnote("%s; %s%s", strings.Join(slices.Compact(bases), ", "), m.seeds, m.bars)
	return nil
}
