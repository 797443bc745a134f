package telemetry

import (
	"math"
	"strconv"

	"fmt"
	"slices"

	"pintlab/internal/schema"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// Monitor is a system that measures beside the telemetry which feeds the congestion
// control, with its parameters. Any number of monitors watch one run.
type Monitor interface {
	// Room returns what it needs of packets on paths of up to that many switches.
	Room(maxHops int) Room
	// Check reports settings that contradict each other. prefix is the prefix of its keys,
	// such as "monitors.0.".
	Check(c *schema.Checker, prefix string)
	// Watch puts the monitor into a network.
	Watch(*Place) (*Watch, error)
}

// Room holds what a monitor needs of packets.
type Room struct {
	AtSource unit.Bytes // on every data packet when it leaves its source
	Growth   unit.Bytes // that switches add on the longest path, beyond AtSource
	Cargo    int        // memory beside each packet that costs nothing on the wire
	Report   unit.Bytes // its largest report on the wire
}

// Place is where a monitor watches.
type Place struct {
	Site
	Number uint8     // of the monitor among those of the run
	Cargo  [2]int    // its part of a packet's room: from, to
	Class  uint8     // traffic class for reports
	Report ReportFor // sends a report from any node between events, in Watch.Tick
}

// ReportFor sends a report of a monitor from a node (netsim.Engine.Report).
type ReportFor func(from netsim.NodeID, r *netsim.Report) bool

// Host returns the host of that node number, which a key of the monitor gives.
func (p *Place) Host(key string, node int) (netsim.NodeID, error) {
	return among(p.Graph.Hosts(), key, node, "host")
}

// Switch returns the switch of that node number, which a key of the monitor gives.
func (p *Place) Switch(key string, node int) (netsim.NodeID, error) {
	return among(p.Graph.Switches(), key, node, "switch")
}

func among(list []netsim.NodeID, key string, node int, what string) (netsim.NodeID, error) {
	if id := netsim.NodeID(node); slices.Contains(list, id) {
		return id, nil
	}
	if len(list) == 0 {
		return 0, fmt.Errorf("%s = %d: the network has no %s", key, node, what)
	}
	return 0, fmt.Errorf("%s = %d: want the node number of a %s, %d to %d", key, node, what, list[0], list[len(list)-1])
}

// Part returns the monitor's part of a packet's room for monitors.
func (p *Place) Part(cargo []byte) []byte { return cargo[p.Cargo[0]:p.Cargo[1]:p.Cargo[1]] }

// Watch is a monitor in a network.
type Watch struct {
	Tap     netsim.Tap     // at every switch; nil for none
	Watcher netsim.Watcher // at every host; it must not be nil
	// Tick is called between events, while nothing runs, at Period, 2·Period, …
	Period unit.Time
	Tick   func(now unit.Time)
	// Reports are what reports put on the wire on the average; nil if that is not known beforehand.
	Reports *Reports
	// Tables are the results of the run, which ended at the given time.
	Tables func(end unit.Time) []Table
	// Notes says what a user should know of them; nil for nothing.
	Notes func() []string
	// System is what the package of the monitor has to say about it.
	System any
}

// Reports are the bytes of reports on the way to a host.
type Reports struct {
	To netsim.NodeID
	// For a data packet that arrives at another host, which sends them, and more for every switch that it has passed.
	PerArrival, PerHop float64
	PerSwitch          float64 // for a data packet that passes a switch, which sends them
	// From each of some nodes in a second.
	PerSecond float64
	From      []netsim.NodeID
}

// Table is a result of a monitor or a system: a CSV file of the run directory.
type Table struct {
	Name string     // letters, digits and '-'
	Head []string   // with units: "latency_mean_s"
	Rows [][]string // of as many cells
}

// Whole writes a whole number as a cell of a table.
func Whole[N ~int | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint64](n N) string {
	return strconv.FormatInt(int64(n), 10)
}

// Real writes six digits of a number as a cell of a table; without a finite number the cell is empty.
func Real(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}
