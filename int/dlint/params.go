package dlint

import (
	"fmt"

	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

// common contains the keys of all three systems.
type common struct {
	// N, the number of values on a packet.
	Values int `yaml:"values" default:"1" range:">=1 <=16" draw:"1|2|5"`
	// Size of a switch's ID: 1 in the authors' programs, 4 in the figures of the paper.
	IDBytes int `yaml:"id_bytes" default:"1" range:">=1 <=4" draw:"1|4"`
	// Whether each ID also carries the time of the packet in the switch (4 B). The papers do not have this.
	Latency bool `yaml:"latency" default:"false"`
	// What shows that a known path has changed: an ID at an unexpected place (id), or only a whole path that differs
	// (path). The authors evaluate captures in a way that is not published.
	Change string `yaml:"change" default:"id" oneof:"id|path"`
}

// DLINT holds the keys of DLINT as a monitor.
type DLINT struct {
	common
	// Number of 2-bit cells at a switch. A CRC32 of the 5-tuple chooses the cell.
	Cells int `yaml:"cells" default:"3281" range:">=1 <=16777216" draw:"1|3281"`
}

// PLINT holds the keys of PLINT as a monitor.
type PLINT struct {
	common
	// Probability with which hop i replaces a pair: as in the authors' program a whole number of percent
	// (percent: 33 % at hop 3), or 1/i (exact).
	Probability string `yaml:"probability" default:"percent" oneof:"percent|exact"`
}

// CLINT holds the keys of CLINT as a monitor.
type CLINT struct {
	common
	// Cells at a switch, two for each flow.
	Cells int `yaml:"cells" default:"400" range:">=2 <=16777216" draw:"2|400"`
	// Number of bits at a switch that suppress repeated reports. A CRC32 of the 5-tuple chooses the bit.
	Seen int `yaml:"seen" default:"89876" range:">=1 <=16777216" draw:"1|89876"`
	// Interval at which the controller installs entries. It is not published.
	Install unit.Time `yaml:"install" default:"100us" range:">=1us <=10s" draw:"10us|100us"`
	// Node number of the host that is the controller.
	Collector int `yaml:"collector" default:"0" range:">=0" draw:"0..hosts"`
	// Headers of a report: Ethernet, IPv4, UDP, 12 B of the report and the 5-tuple. The ID follows.
	ReportHeader unit.Bytes `yaml:"report_header" default:"67B" range:">=42B <=256B"`
}

// kind is one of the three systems.
type kind uint8

const (
	deterministic kind = iota
	probabilistic
	controlled
)

// keys contains what the rules need from the keys.
type keys struct {
	kind
	values  int
	latency bool
	size    unit.Bytes // size of a header
	exact   bool
	byID    bool // an ID shows a change
	cells   int
}

// slotCargo is the room of a slot in a packet's cargo: the value, the hop and the latency. The cargo begins with the
// number of slots.
const slotCargo = 4 + 1 + 4

func (c *common) keys(k kind) keys {
	each := unit.Bytes(c.IDBytes)
	if k == probabilistic {
		each++ // hop number
	}
	if c.Latency {
		each += latencyBytes
	}
	size := unit.Bytes(c.Values) * each
	if k == probabilistic {
		size++ // initial TTL
	}
	return keys{kind: k, values: c.Values, latency: c.Latency, size: size, byID: c.Change == "id"}
}

func (c *common) room(k kind) telemetry.Room {
	return telemetry.Room{Growth: c.keys(k).size, Cargo: 1 + c.Values*slotCargo}
}

// Room returns the size of the header.
func (p *DLINT) Room(int) telemetry.Room { return p.room(deterministic) }

// Room returns the size of the header.
func (p *PLINT) Room(int) telemetry.Room { return p.room(probabilistic) }

// Room returns the sizes of header and report.
func (p *CLINT) Room(int) telemetry.Room {
	r := p.room(controlled)
	r.Report = p.ReportHeader + unit.Bytes(p.IDBytes)
	return r
}

// Check has nothing to check beyond the ranges of the keys.
func (*common) Check(*schema.Checker, string) {}

// watch makes a monitor. Codes and IDs must be distinct: three codes of DLINT and four of CLINT.
func (c *common) watch(k keys, at *telemetry.Place) (*monitor, error) {
	if room := 1<<min(8*c.IDBytes, 31) - 4; len(at.Graph.Switches()) > room {
		return nil, fmt.Errorf("id_bytes = %d: the network has %d switches, but IDs of this size distinguish at "+
			"most %d; want more bytes", c.IDBytes,
			len(at.Graph.Switches()), room)
	}
	m := &monitor{params: k, at: at, nodes: make([]node, len(at.Graph.Nodes)),
		hosts: make([]bool, len(at.Graph.Nodes))}
	for i, n := range at.Graph.Nodes {
		if m.hosts[i] = n.Kind == topo.Host; !m.hosts[i] {
			m.nodes[i].sink = sink{flows: map[uint64]*traced{}, notice: notice{byID: k.byID}}
			if k.kind == deterministic {
				m.nodes[i].cells = make([]cell, k.cells)
			}
		}
	}
	return m, nil
}

// Watch attaches DLINT.
func (p *DLINT) Watch(at *telemetry.Place) (*telemetry.Watch, error) {
	k := p.keys(deterministic)
	k.cells = p.Cells
	m, err := p.watch(k, at)
	return m.watch(), err
}

// Watch attaches PLINT.
func (p *PLINT) Watch(at *telemetry.Place) (*telemetry.Watch, error) {
	k := p.keys(probabilistic)
	k.exact = p.Probability == "exact"
	m, err := p.watch(k, at)
	return m.watch(), err
}

// Watch attaches CLINT and its controller.
func (p *CLINT) Watch(at *telemetry.Place) (*telemetry.Watch, error) {
	host, err := at.Host("collector", p.Collector)
	if err != nil {
		return nil, err
	}
	k := p.keys(controlled)
	k.cells = p.Cells
	m, err := p.watch(k, at)
	if err != nil {
		return nil, err
	}
	m.control = &controller{host: host, size: p.ReportHeader + unit.Bytes(p.IDBytes), places: map[uint64]int{}}
	for i := range m.nodes {
		if !m.hosts[i] {
			n := &m.nodes[i]
			n.reported, n.entries = make([]bool, p.Seen), map[uint64]int{}
		}
	}
	w := m.watch()
	w.Period, w.Tick = p.Install, m.install
	return w, nil
}

// controller is CLINT's controller. The engine that runs its host owns it; install runs between events.
type controller struct {
	host    netsim.NodeID
	size    unit.Bytes
	places  map[uint64]int // first cells of flows, by flow
	pending []entry
	full    int64 // flows for which no cells were left
}

// entry is a flow that a switch has reported.
type entry struct {
	at   netsim.NodeID
	flow uint64
}
