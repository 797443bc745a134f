package rtt

import (
	"fmt"

	"pintlab/int/fridge"
	"pintlab/internal/hash"
	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// fieldSize is the size of the estimate in an ACK on the wire.
const fieldSize = unit.Bytes(2)

// largest is the longest round trip that the field can represent, in units.
const largest = 1<<16 - 1

// Params are the keys of the system in a scenario.
type Params struct {
	// M: data packets that the fridge of a switch holds.
	Entries int `yaml:"entries" default:"16384" range:">=2 <=16777216" draw:"2|64|4096"`
	// p: probability with which a data packet enters. Hashes of 32 bits decide.
	Probability float64 `yaml:"probability" default:"1" range:">=1e-9 <=1" draw:"1|0.1"`
	// Whether a sample is weighted with its correction factor, or counts once.
	Corrected bool `yaml:"corrected" default:"true"`
	// What has a separate estimate: each destination host, each flow, or the switch.
	Of string `yaml:"of" default:"destination" oneof:"destination|flow|switch"`
	// Number of estimates for which a switch has room. If there are more hosts or flows, several share an estimate. The
	// number of the host, or a hash of the flow, selects it.
	Estimates int `yaml:"estimates" when:"of=destination|flow" default:"1024" range:">=1 <=16777216"`
	// An estimate is the mean of the samples of the present and the previous period.
	Period unit.Time `yaml:"period" default:"10us" range:">=1ns <=1s" draw:"1us|10us|1ms"`
	// Unit of the estimate in the 16 bits of an ACK; a longer round trip is written as the largest value.
	Unit unit.Time `yaml:"unit" default:"32ns" range:">=1ns <=1ms"`
}

// Default returns the parameters with the defaults of their tags.
func Default() Params { return schema.Default[Params]() }

// Overhead returns 0: data packets carry nothing.
func (*Params) Overhead() unit.Bytes { return 0 }

func (*Params) AckField() unit.Bytes { return fieldSize }

// Stack returns 0: packets carry no stack.
func (*Params) Stack(int, bool) int { return 0 }

// Gives returns a round-trip time.
func (*Params) Gives() []telemetry.Quantity { return []telemetry.Quantity{telemetry.RoundTrip} }

// Recorded returns false: only senders read the estimate.
func (*Params) Recorded() bool { return false }

// Check has nothing to check beyond the ranges of the keys.
func (*Params) Check(*schema.Checker) {}

// Attach puts a fridge into every switch with hosts.
func (p *Params) Attach(s *telemetry.Site) (*telemetry.Parts, error) {
	nodes := len(s.Graph.Nodes)
	t := &tap{params: *p, net: s.Net, links: make([]link, nodes), meters: make([]*meter, nodes)}
	estimates := p.Estimates
	if p.Of == "switch" {
		estimates = 1
	}
	for id, node := range s.Graph.Nodes {
		up := s.Net.Home(netsim.NodeID(id))
		if t.links[id].at = -1; node.Kind != topo.Host || up == netsim.NoPort {
			continue
		}
		_, at := s.Net.PortEnds(up)
		t.links[id] = link{at: at, up: up, delay: s.Net.PortDelay(up)}
		if s.Graph.Nodes[at].Kind == topo.Host || t.meters[at] != nil {
			continue
		}
		f, err := fridge.New[uint32](fridge.Config{
			Parts: []fridge.Part{{Entries: p.Entries, Probability: p.Probability}},
			// This is a former name of the package. Results depend on it.
			Seed: hash.Combine(hash.Combine(hash.String("int/roundtrip"), s.Seed), uint64(at)),
		})
		if err != nil {
			return nil, fmt.Errorf("telemetry: %w", err)
		}
		t.meters[at] = &meter{fridge: f, estimates: make([]estimate, estimates)}
	}
	digest := &telemetry.Digest{Code: code(p.Unit), Mask: largest}
	return &telemetry.Parts{
		Tap: t, Notes: t.notes, Tables: t.tables, System: t,
		Feedback: telemetry.Feedback{Digest: func(q telemetry.Quantity) (*telemetry.Digest, error) {
			if q != telemetry.RoundTrip {
				return nil, fmt.Errorf("acknowledgements contain a %s, not %s", telemetry.RoundTrip, q)
			}
			return digest, nil
		}},
	}, nil
}

// code represents the unit of the field.
type code unit.Time

// Decode returns a round-trip time in picoseconds.
func (c code) Decode(n uint32) float64 { return float64(unit.Time(n) * unit.Time(c)) }
