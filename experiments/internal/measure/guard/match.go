package guard

import (
	"fmt"
	"slices"
	"strings"

	"pintlab/experiments/scenario"
	"pintlab/int/lightguardian/diagnose"
	"pintlab/internal/lists"
	"pintlab/netsim"
	"pintlab/netsim/topo"
)

// match returns the number of the fault on the path that a finding names, or -1 if there is none.
func (p *patient) match(x *diagnose.Finding, outbound []int) int {
	for _, i := range outbound {
		if p.names(x, p.s.Scenario.Faults[i]) {
			return i
		}
	}
	return -1
}

// symptoms maps each kind of fault to the rules that it may trigger. A blackhole that begins or ends during the life of
// a flow looks like drops.
var symptoms = map[string][]diagnose.Rule{
	scenario.LinkDown: {diagnose.Blackhole, diagnose.Drops}, scenario.Blackhole: {diagnose.Blackhole, diagnose.Drops},
	scenario.BlackholeEntry: {diagnose.Blackhole, diagnose.Drops},
	scenario.SwitchFailure:  {diagnose.Blackhole, diagnose.Drops},
	scenario.HostFailure:    {diagnose.Blackhole, diagnose.Drops},
	scenario.RandomDrop:     {diagnose.Drops, diagnose.Blackhole},
	scenario.Loop:           {diagnose.Loop}, scenario.Jitter: {diagnose.Jitter, diagnose.Slow},
	scenario.WrongPath: {diagnose.Abnormal},
}

// names reports whether a finding is about a fault. The rule must match the kind of the fault, and the finding must
// name the place of the fault. The place may be the link before the reported switch, the switch, or the host after it.
func (p *patient) names(x *diagnose.Finding, f scenario.Fault) bool {
	if f.Kind == scenario.Loop && (x.Rule == diagnose.Blackhole || x.Rule == diagnose.Drops) {
		// If a link of the loop is full, few packets circulate, and none leaves the loop. Then the loop looks like
		// losses.
		return int(x.Last) == f.A || int(x.Last) == f.B
	}
	if !slices.Contains(symptoms[f.Kind], x.Rule) {
		return false
	}
	first := int(x.Switches[0])
	link := f.A == int(x.Last) && f.B == first || f.B == int(x.Last) && f.A == first
	switch f.Kind {
	case scenario.Loop:
		return !slices.ContainsFunc(x.Switches, func(at netsim.NodeID) bool { return int(at) != f.A && int(at) != f.B })
	case scenario.Blackhole, scenario.RandomDrop, scenario.LinkDown:
		return link
	case scenario.Jitter:
		// Packets for the slow link wait at the switch before it.
		return link || x.Rule == diagnose.Slow && (first == f.A || first == f.B)
	case scenario.BlackholeEntry:
		return first == f.Switch
	case scenario.SwitchFailure:
		return first == f.Switch || int(x.Last) == f.Switch
	case scenario.WrongPath:
		return int(x.Last) == f.Switch && slices.Contains(x.Switches, netsim.NodeID(f.Next))
	case scenario.HostFailure:
		return first == int(p.s.Graph.Hosts()[f.Host])
	}
	return false
}

func (p *patient) truth(a *Answer, faults []int) string {
	text := ""
	for _, i := range faults {
		if text != "" {
			text += " + "
		}
		text += fmt.Sprintf("%d: %s %s", i, a.Faults[i].Kind, a.Faults[i].Where)
	}
	return text
}

func (p *patient) where(f scenario.Fault) string {
	node := func(n int) string { return short(p.s.Graph, netsim.NodeID(n)) }
	text := ""
	switch f.Kind {
	case scenario.HostPause, scenario.HostFailure:
		return node(int(p.s.Graph.Hosts()[f.Host]))
	case scenario.BlackholeEntry, scenario.SwitchFailure:
		text = node(f.Switch)
	case scenario.WrongPath:
		text = node(f.Switch) + " → " + node(f.Next)
	default:
		text = node(f.A) + "–" + node(f.B)
	}
	entry := f.Kind == scenario.BlackholeEntry || f.Kind == scenario.Loop || f.Kind == scenario.WrongPath
	if entry && f.Dst >= 0 {
		text += " for " + node(int(p.s.Graph.Hosts()[f.Dst]))
	}
	return text
}

func (p *patient) culprit(x *diagnose.Finding) string {
	named := lists.Map(x.Switches, func(at netsim.NodeID) string { return short(p.s.Graph, at) })
	text := strings.Join(named, ", ")
	if x.Last >= 0 {
		text += " after " + short(p.s.Graph, x.Last)
	}
	return text
}

// short returns a node's number with its kind.
func short(g *topo.Graph, n netsim.NodeID) string {
	if g.Nodes[n].Kind == topo.Host {
		return fmt.Sprintf("host %d", n)
	}
	return fmt.Sprintf("switch %d", n)
}

// share returns the share of the questions that have an answer.
func share(known, asked int) float64 { return float64(known) / float64(max(1, asked)) }
