package telemetry

import (
	"fmt"
	"slices"

	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// Monitor is a system, with its parameters, that measures independently of the telemetry for the
// congestion control. Any number of monitors can watch a run.
type Monitor interface {
	// Room returns the space that the monitor needs in packets on paths of up to maxHops switches.
	Room(maxHops int) Room
	// Check reports settings that contradict each other. prefix is the prefix of the monitor's keys, such as
	// "monitors.0.".
	Check(c *schema.Checker, prefix string)
	// Watch attaches the monitor to a network. An error begins with the monitor's key at fault.
	Watch(*Place) (*Watch, error)
}

// Room is the space that a monitor needs in packets.
type Room struct {
	AtSource unit.Bytes // bytes on every data packet when it leaves its source
	Growth   unit.Bytes // bytes that switches add on the longest path, beyond AtSource
	Cargo    int        // memory of each packet that costs nothing on the wire
	Report   unit.Bytes // size of the largest report on the wire
}

// Place is the network that a monitor watches, and the monitor's place in it.
type Place struct {
	Site
	Number uint8     // number of the monitor in the run
	Cargo  [2]int    // the monitor's part of a packet's cargo: from, to
	Class  uint8     // traffic class for reports
	Report ReportFor // sends a report from any node between events, in Watch.Tick
}

// ReportFor sends a report of a monitor from a node (netsim.Engine.Report).
type ReportFor func(from netsim.NodeID, r *netsim.Report) bool

// Host returns the host with this node number. The error names the key of the monitor that sets the number.
func (p *Place) Host(key string, node int) (netsim.NodeID, error) {
	return among(p.Graph.Hosts(), key, node, "host")
}

// Switch returns the switch with this node number. The error names the key of the monitor that sets the number.
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

// LinkRate returns the rate of a host's link.
func (p *Place) LinkRate(host netsim.NodeID) unit.Rate { return p.Net.PortRate(p.Net.Home(host)) }

// LinkShare returns the share of the capacity of a host's link, in a run until end, that n bytes use.
func (p *Place) LinkShare(host netsim.NodeID, n unit.Bytes, end unit.Time) float64 {
	return 8 * float64(n) / end.Seconds() / float64(p.LinkRate(host))
}

// Part returns the monitor's part of a packet's cargo.
func (p *Place) Part(cargo []byte) []byte { return cargo[p.Cargo[0]:p.Cargo[1]:p.Cargo[1]] }

// Watch is a monitor that is attached to a network.
type Watch struct {
	Tap     netsim.Tap     // at every switch; nil for none
	Watcher netsim.Watcher // at every host; it must not be nil
	// Tick is called between events, while no engine runs, at Period, 2·Period, …
	Period unit.Time
	Tick   func(now unit.Time)
	// Reports is the average load of reports on the network; nil if it is not known beforehand.
	Reports *Reports
	// Tables returns the results of the run, which ended at the given time; nil for none.
	Tables func(end unit.Time) []Table
	// Notes returns what a user should know about the results; nil for nothing.
	Notes func() []string
	// System is the monitor's own type, which may implement further interfaces.
	System any
}

// Reports is the load of reports on the way to a host, in bytes.
type Reports struct {
	To netsim.NodeID
	// Bytes that a host sends for each data packet that arrives, and additional bytes for every
	// switch that the packet has passed.
	PerArrival, PerHop float64
	PerSwitch          float64 // bytes that a switch sends for each data packet
	// Bytes per second from each of the nodes From.
	PerSecond float64
	From      []netsim.NodeID
}
