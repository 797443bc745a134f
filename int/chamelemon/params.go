package chamelemon

import (
	"fmt"

	"pintlab/int/sketch/tower"
	"pintlab/internal/hash"
	"pintlab/netsim/route"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// Params are the keys of the monitor in a scenario.
type Params struct {
	// Time after which the two copies of the sketches are swapped. We do not know the paper's value.
	Epoch unit.Time `yaml:"epoch" default:"1ms" range:">=1us" draw:"100..300us"`
	// Keys that buckets add up: the 5-tuple (20 B for a bucket, as in the testbed), or 32 bits of a hash (8 B).
	Key string `yaml:"key" default:"five-tuple" oneof:"five-tuple|32-bit"`
	// Buckets in each of three arrays of the encoder at ingress, a multiple of 8. Egress has three quarters of them.
	// With few buckets, a bucket of several flows may be mistaken for a bucket of a single flow.
	Buckets int `yaml:"buckets" default:"4096" range:">=64 <=1048576" draw:"64|128|4096"`
	// Number of 8-bit counters in the classifier.
	Counters8 int `yaml:"counters_8" default:"32768" range:">=1 <=1048576" draw:"64|32768"`
	// Number of 16-bit counters in the classifier.
	Counters16 int `yaml:"counters_16" default:"16384" range:">=1 <=1048576" draw:"64|16384"`
	// Bytes on every data packet; part and epoch need three bits.
	Tag unit.Bytes `yaml:"tag" default:"0B" range:">=0B <=16B"`
	// Whether packets are also counted exactly, to measure the errors of the sketches; this takes memory for each flow.
	Truth bool `yaml:"truth" default:"false"`
}

// Default returns the parameters with the defaults of their tags.
func Default() Params { return schema.Default[Params]() }

// Room returns the bytes of the tag.
func (p *Params) Room(int) telemetry.Room { return telemetry.Room{AtSource: p.Tag, Cargo: 1} }

// Check reports settings that contradict each other.
func (p *Params) Check(c *schema.Checker, prefix string) {
	c.FailIf(p.Buckets%8 != 0, prefix+"buckets", "want a multiple of 8")
}

// Locating implements telemetry.Locating.
func (*Params) Locating() (settings string, counts bool) { return "", false }

// arrays of each encoder.
const arrays = 3

// bucketBytes returns the memory of a bucket: a sum of keys, and a counter of 32 bits. The testbed's sums have four
// words.
func (p *Params) bucketBytes() int {
	if p.Key == "32-bit" {
		return 4 + 4
	}
	return 4*4 + 4
}

// classifier returns the shape of the TowerSketch of an edge switch.
func (p *Params) classifier(seed uint64) tower.Config {
	return tower.Config{Bits: []int{8, 16}, Counters: []int{p.Counters8, p.Counters16}, Seed: seed}
}

// memory returns the bytes of the sketches of an edge switch, both copies.
func (p *Params) memory() int {
	return 2 * (p.classifier(0).Bytes() + arrays*(p.Buckets+p.Buckets*3/4)*p.bucketBytes())
}

// Watch puts sketches into the switches with hosts.
func (p *Params) Watch(at *telemetry.Place) (*telemetry.Watch, error) {
	salt := hash.Combine(hash.String("int/chamelemon"), at.Seed)
	m := &Monitor{
		params: *p, at: at, salt: salt, edges: make([]edge, len(at.Graph.Nodes)),
		hosts: make([]bool, len(at.Graph.Nodes)), control: controller{buckets: p.Buckets},
		lost: map[uint64]int64{}, results: newResults(p.Truth),
	}
	for i, n := range at.Graph.Nodes {
		if m.hosts[i] = n.Kind == topo.Host; !m.hosts[i] {
			m.edges[i].names = map[uint64]route.FiveTuple{}
		}
	}
	for i := range m.settings {
		m.settings[i] = m.control.start()
	}
	if err := p.classifier(salt).Validate(); err != nil {
		return nil, fmt.Errorf("counters_8: %w", err)
	}
	return &telemetry.Watch{
		Tap: m, Watcher: m, Period: p.Epoch, Tick: m.tick, Tables: m.tables, Notes: m.notes, System: m,
	}, nil
}
