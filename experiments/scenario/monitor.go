package scenario

import (
	"fmt"

	"pintlab/netsim/schema"
	"pintlab/netsim/telemetry"
	"pintlab/transport"
)

// Monitor is a system that measures in addition to the telemetry of the congestion control. Its reports are
// real traffic in a separate class.
type Monitor struct {
	// Monitor.
	schema.Choice
}

// Monitor returns the parameters of the chosen monitor.
func (m Monitor) Monitor() telemetry.Monitor { return m.Params.(telemetry.Monitor) }

// maxMonitors is the largest number of monitors of a run.
const maxMonitors = 16

// ReportClass returns the traffic class of monitors' reports. This is the highest class that the scenario does not use
// otherwise, or 1 if all classes are in use. The classes in files of flows are unknown.
func (s *Scenario) ReportClass() int {
	used, _ := s.classes()
	class := 7
	for class > 1 && used[class] {
		class--
	}
	return class
}

// classes returns the traffic classes of data and ACKs. known is false if a file of flows may use further classes.
func (s *Scenario) classes() (used [8]bool, known bool) {
	known = true
	used[s.Transport.AckClass] = true // class 0 means that ACKs have the class of the data
	for _, src := range s.Workload {
		class := src.Traffic().Class() & 7
		used[class] = true
		known = known && class > 0
	}
	sizes, _ := transport.ParseSizeClasses(s.Transport.SizeClasses) // Validate reports a wrong one
	for _, x := range sizes {
		used[x.Class] = true
	}
	return used, known
}

// Classes returns the traffic classes of packets in ascending order. all is false if a file of flows, or a monitor, may
// use further classes.
func (s *Scenario) Classes() (list []int, all bool) {
	used, known := s.classes()
	for class := 1; class < len(used); class++ {
		if used[class] {
			list = append(list, class)
		}
	}
	return list, known && len(s.Monitors) == 0
}

func (s *Scenario) checkMonitors(c *schema.Checker) {
	c.FailIf(len(s.Monitors) > maxMonitors, "monitors", fmt.Sprintf("want at most %d entries", maxMonitors))
	for i, m := range s.Monitors {
		m.Monitor().Check(c, fmt.Sprintf("monitors.%d.", i))
	}
}
