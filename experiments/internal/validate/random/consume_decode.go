package random

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"pintlab/experiments/internal/measure/inband"
	"pintlab/experiments/scenario"
	"pintlab/int/wire"
	"pintlab/netsim/telemetry"
	"pintlab/netsim/unit"
)

// decode takes the captured packets that are on the way to a monitor's collector, and compares their INT with the
// tables of this monitor.
func (s *stored) decode() error {
	if !s.has(scenario.OutputCapture) {
		return nil
	}
	tables := s.inband()
	var ports []string // ports that lead to the collector
	for _, l := range s.wiring.Graph.Links {
		for _, at := range []port{{int32(l.A), int32(l.B)}, {int32(l.B), int32(l.A)}} {
			if tables != nil && fmt.Sprint(at[1]) == tables["collector"].Rows[0][0] {
				ports = append(ports, at.String())
			}
		}
	}
	a, err := s.intRead(ports)
	if err != nil &&
		(strings.Contains(err.Error(), "no INT and no telemetry report") ||
			strings.Contains(err.Error(), "no packet was captured on these interfaces")) {
		a, err = &inband.Answer{}, nil
	}
	if err != nil {
		return err
	}
	if s.run.Scenario.Run.Capture.Snap == 65535*unit.Byte {
		equal(s, fmt.Sprintf("number of packets that cannot be read (%q)", a.Mistakes), a.Malformed, 0)
	}
	c := &s.r.Counters
	if tables != nil && a.Malformed == 0 && s.whole(scenario.All, scenario.Switches) && c.Lost == 0 &&
		c.Injected == c.Delivered+c.Dropped {
		return s.hops(a, tables["hops"])
	}
	return nil
}

// inband returns the tables of the monitor int. It returns nil unless this monitor is the only system with INT in the
// capture.
func (s *stored) inband() map[string]telemetry.Table {
	sc := &s.run.Scenario
	if len(sc.Monitors) != 1 || sc.Monitors[0].Kind != "int" || sc.Telemetry.Kind == "int" ||
		sc.Run.MonitorCost == "none" {
		return nil
	}
	tables := map[string]telemetry.Table{}
	for _, t := range s.r.Monitors[0].Tables {
		tables[t.Name] = t
	}
	return tables
}

// hops compares, for each switch, the numbers in a capture with those of a monitor.
func (s *stored) hops(a *inband.Answer, t telemetry.Table) error {
	type hop struct {
		records, queue int64
		sum, most      float64
	}
	nodes := map[string]*hop{}
	for _, n := range a.Nodes {
		x := nodes[fmt.Sprint(n.Node)]
		if x == nil {
			x = &hop{}
			nodes[fmt.Sprint(n.Node)] = x
		}
		x.records, x.queue = x.records+n.Records, max(x.queue, int64(n.QueueMax))
		x.sum += float64(float64(n.LatencyMean) * float64(n.Records))
		x.most = max(x.most, float64(n.LatencyMax))
	}
	equal(s, "number of switches", len(nodes), len(t.Rows))
	for _, row := range t.Rows {
		x := nodes[row[0]]
		if x == nil {
			s.wrong("switch %s is not in the capture", row[0])
			continue
		}
		mean, err := strconv.ParseFloat(row[2], 64)
		if err != nil {
			return err
		}
		equal(s, "records of switch "+row[0], fmt.Sprint(x.records), row[1])
		if got := x.sum / float64(x.records); math.Abs(got-mean) > 1e-5*mean {
			s.wrong("mean latency of switch %s is %v, the monitor has %v", row[0], got, mean)
		}
		equal(s, "longest latency of switch "+row[0], strconv.FormatFloat(x.most, 'g', 6, 64), row[3])
		equal(s, "longest queue of switch "+row[0], fmt.Sprint(x.queue), row[4])
	}
	return nil
}

func (s *stored) intRead(ports []string) (*inband.Answer, error) {
	file, err := s.read(scenario.OutputCapture)
	if err != nil {
		return nil, err
	}
	q := inband.Question{DSCP: wire.INTMark, IFA: 253, ReportPort: wire.ReportPort, Unit: unit.Nanosecond,
		Interfaces: ports}
	return inband.Read(bytes.NewReader(file), scenario.OutputCapture, q, nil)
}
