package scenario

import "pintlab/netsim/schema"

// Scenario describes a run completely: equal scenarios produce identical bytes. It is plain data. Use Default, Preset,
// Open or Parse to make a Scenario; the zero Scenario is not valid.
type Scenario struct {
	// Name for people: 1 to 64 letters, digits, '.', '_' and '-', the first a letter or digit; no effect on
	// results.
	Name string `yaml:"name" default:"unnamed"`
	// Set of defaults: correct physics, or the quirks of the published HPCC-PINT simulator.
	Profile string `yaml:"profile" default:"default" oneof:"default|ns3-artifact"`
	// Seed of every random stream of the run.
	Seed uint64 `yaml:"seed" default:"1"`
	// Hosts, switches and links.
	Topology Topology `yaml:"topology"`
	// Sources of flows. The flows of all entries share the network.
	Workload []Source `yaml:"workload" range:">=1"`
	// Switches and links.
	Network Network `yaml:"network"`
	// Segmentation, acknowledgements, loss recovery.
	Transport Transport `yaml:"transport"`
	// Congestion control.
	CC CC `yaml:"cc"`
	// Information about the network that packets carry.
	Telemetry Telemetry `yaml:"telemetry"`
	// Systems that measure in addition to the telemetry.
	Monitors []Monitor `yaml:"monitors" omit:"empty"`
	// End of the run, and what is recorded.
	Run Run `yaml:"run"`
	// Failures and their times; empty for none.
	Faults []Fault `yaml:"faults"`
	// Estimation of completion times link by link, without a simulation of the whole network.
	Estimate Estimate `yaml:"estimate" omit:"default"`

	// Language is the language of the scenario; nil for the standard one.
	Language *Language `yaml:"-"`
}

// Default returns the setting of the PINT paper, section 6.1: web search at 50 % load for 2 ms, and HPCC
// with full INT.
func Default() Scenario { return (*Language)(nil).Default() }

// Default is like the function Default, but for scenarios in language l.
func (l *Language) Default() Scenario {
	s := Scenario{Language: l}
	d := l.document()
	d.Default(&s)
	src := Source{schema.Choice{Kind: "poisson"}}
	d.DefaultEntry(&s, &src, "workload.0.")
	s.Workload = []Source{src}
	return s
}

// Clone returns a deep copy of s.
func (s Scenario) Clone() Scenario { return schema.Clone(s) }
