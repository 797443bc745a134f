package scenario

import "pintlab/internal/schema"

// Scenario describes one run completely: two equal scenarios give byte-identical
// results. It is plain data. Make one with Default, Preset, Load or Parse; the
// zero Scenario is not valid.
type Scenario struct {
	// What people call it; letters, digits, '.', '_' and '-'; no effect on results.
	Name string `yaml:"name" default:"unnamed"`
	// Set of defaults: correct physics, or the quirks of the published HPCC-PINT simulator.
	Profile string `yaml:"profile" default:"default" oneof:"default|ns3-artifact"`
	// Seed of every random stream of the run.
	Seed uint64 `yaml:"seed" default:"1"`
	// Hosts, switches and links.
	Topology Topology `yaml:"topology"`
	// Where the flows come from; flows of all entries share the network.
	Workload []Source `yaml:"workload" range:">=1"`
	// Switches and links.
	Network Network `yaml:"network"`
	// Segmentation, acknowledgements, loss recovery.
	Transport Transport `yaml:"transport"`
	// Congestion control.
	CC CC `yaml:"cc"`
	// What packets carry about the network.
	Telemetry Telemetry `yaml:"telemetry"`
	// What measures beside it.
	Monitors []Monitor `yaml:"monitors" omit:"empty"`
	// When it ends, what is recorded.
	Run Run `yaml:"run"`
	// What breaks, and when; empty for nothing.
	Faults []Fault `yaml:"faults"`
	// Completion times by links, without a simulation of the whole network.
	Estimate Estimate `yaml:"estimate" omit:"default"`
}

// Default returns the setting of the PINT paper, section 6.1, with web search at 50 %
// load for 2 ms and HPCC fed by full INT.
func Default() Scenario {
	var s Scenario
	l := language()
	l.Default(&s)
	src := Source{schema.Choice{Kind: "poisson"}}
	l.DefaultEntry(&s, &src, "workload.0.")
	s.Workload = []Source{src}
	return s
}

// Clone returns a copy that shares nothing with s.
func (s Scenario) Clone() Scenario { return schema.Clone(s) }
