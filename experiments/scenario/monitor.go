package scenario

import (
	"fmt"

	"pintlab/experiments/protocols"
	"pintlab/internal/schema"
	"pintlab/netsim/telemetry"
)

// Monitor is a system that measures beside the telemetry that feeds the congestion
// control. Its reports travel as real traffic, in a class of their own.
type Monitor struct {
	// Which monitor.
	schema.Choice
}

// Catalogue returns the monitors, for package schema.
func (Monitor) Catalogue() schema.Catalogue { return protocols.Monitors() }

// Monitor returns the parameters of the chosen one.
func (m Monitor) Monitor() telemetry.Monitor { return m.Params.(telemetry.Monitor) }

// maxMonitors is how many monitors a run may have.
const maxMonitors = 16

// ReportClass returns the traffic class of the reports of monitors: the highest that nothing else
// in the scenario uses, as far as it says so; 1 if all are in use.
func (s *Scenario) ReportClass() int {
	used, _ := s.classes()
	class := 7
	for class > 1 && used[class] {
		class--
	}
	return class
}

// classes returns the traffic classes that data and ACKs use, as far as the scenario says so; a
// file of flows has its own, so that they are not all known.
func (s *Scenario) classes() (used [8]bool, known bool) {
	known = true
	used[s.Transport.AckClass] = true // 0: that of the data
	for _, src := range s.Workload {
		class := src.Traffic().Class() & 7
		used[class] = true
		known = known && class > 0
	}
	sizes, _ := ParseSizeClasses(s.Transport.SizeClasses) // a wrong one is reported by Validate
	for _, x := range sizes {
		used[x.Class] = true
	}
	return used, known
}

// Classes returns the traffic classes of packets, rising, and whether these are all: a file of
// flows says its own, and monitors may report in another one.
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
