package scenario

import (
	"reflect"
	"sync"

	"pintlab/experiments/protocols"
	"pintlab/netsim/schema"
	"pintlab/transport"
)

// Language is the language of scenarios that choose among a set of protocols. A nil Language stands for the language of
// this module's protocols. The functions Default, Open and Parse use that language.
type Language struct {
	set   *protocols.Set
	kinds schema.Kinds
}

// Of returns the language of scenarios that choose among the protocols of set. The caller must not add anything to set
// later.
func Of(set *protocols.Set) *Language {
	l := &Language{set: set}
	l.kinds.Catalogues = map[reflect.Type]schema.Catalogue{
		reflect.TypeFor[Topology]():  set.Networks,
		reflect.TypeFor[Source]():    set.Traffic,
		reflect.TypeFor[CC]():        set.Controls,
		reflect.TypeFor[Balancing](): set.Balancers,
		reflect.TypeFor[Telemetry](): set.Telemetry,
		reflect.TypeFor[Monitor]():   set.Monitors,
	}
	l.kinds.Words = map[reflect.Type]schema.Grouped{reflect.TypeFor[Transport](): words{set: set}}
	return l
}

// standard is the language that nil stands for. It is read-only.
var standard = sync.OnceValue(func() *Language { return Of(protocols.Standard()) })

// Protocols returns the protocols among which scenarios choose.
func (l *Language) Protocols() *protocols.Set { return l.itself().set }

func (l *Language) itself() *Language {
	if l == nil {
		return standard()
	}
	return l
}

// words contains the groups of words in the tags of Transport. The kinds of receiver-driven transports have the same
// names as their controls.
type words struct {
	transport.Params
	set *protocols.Set
}

// Group implements schema.Grouped.
func (w words) Group(name string) []string {
	if name == "tcp" || name == "sends" {
		return w.Params.Group(name)
	}
	return w.set.ReceiverDriven(func(r transport.Receivers) bool { return name == "pulled" || r.Ask })
}

// document returns the syntax of the language's documents.
func (l *Language) document() *schema.Language {
	return &schema.Language{
		Profiles: profiles, Rules: rules, Empty: "empty; want keys such as topology, workload and cc",
		Complete: func(document any, given func(string) (bool, bool)) ([]string, func(string) bool) {
			return bring(document.(*Scenario), given)
		},
		Reads: []string{"cc", "transport", "network", "telemetry"},
	}
}

// Protocols returns the protocols among which s chooses.
func (s *Scenario) Protocols() *protocols.Set { return s.Language.Protocols() }

// Kinds returns the kinds that the sections of s can choose, for package schema.
func (s *Scenario) Kinds() *schema.Kinds { return &s.Language.itself().kinds }
