package random

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pintlab/experiments/results/store"
	"pintlab/experiments/sim"
	"pintlab/netsim"
	"pintlab/netsim/unit"
)

// numbers checks the numbers that a run reports about links and monitors: no link carries more than its rate allows,
// the utilisation of the busiest link of a job agrees with links.csv, and the counters of all ports add up to those
// of the run.
func numbers(r *sim.Result) error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	// With transmission times rounded down to whole nanoseconds, packets are faster than the link.
	most := 1.0
	if r.Scenario.Network.Serialisation == "floor-ns" {
		most = 2
	}
	for _, l := range r.LinkRows {
		if l.Use < 0 || l.Use > most {
			wrong("the link from %s to %s has a utilisation of %v", l.From, l.To, l.Use)
		}
	}
	for _, job := range r.JobRows {
		at := slices.IndexFunc(r.LinkRows, func(l sim.LinkRow) bool { return l.From+" to "+l.To == job.Link })
		switch {
		case job.Link == "" && job.Use != 0:
			wrong("%s of %s: no busiest link is named, but its utilisation is %v", job.Group, job.Job, job.Use)
		case job.Link == "":
		case at < 0 || r.LinkRows[at].Use != job.Use || r.LinkRows[at].Bytes == 0:
			wrong("%s of %s: the busiest link is %s with a utilisation of %v, but no link has this "+
				"utilisation", job.Group, job.Job, job.Link,
				job.Use)
		}
	}
	if r.Scenario.Run.MonitorCost != "none" { // without a size, any number of reports is possible
		errs = append(errs, shares(r, most))
	}
	errs = append(errs, sampled(r, most))
	return errors.Join(errs...)
}

// shares checks the shares of links in the tables of monitors.
func shares(r *sim.Result, most float64) error {
	for _, m := range r.Monitors {
		for _, t := range m.Tables {
			for i, head := range t.Head {
				if !strings.HasPrefix(head, "share_of_link") {
					continue
				}
				for _, row := range t.Rows {
					if share, err := strconv.ParseFloat(row[i], 64); err == nil && (share < 0 || share > most) {
						return fmt.Errorf("monitor %s, table %s: %s = %v", m.Kind, t.Name, head, share)
					}
				}
			}
		}
	}
	return nil
}

// sampled checks the time series of ports. If the series covers all ports and the whole run, the last counters of all
// ports add up to those of the run.
func sampled(r *sim.Result, most float64) error {
	if r.Series.Ports == nil {
		return nil
	}
	last := map[[2]netsim.NodeID]store.PortSample{}
	var looked unit.Time
	err := store.PortSeries.Read(bytes.NewReader(r.Series.Ports), int64(len(r.Series.Ports)),
		store.PortSeries.Parquet(), func(x *store.PortSample) error {
			if x.Utilisation < 0 || x.Utilisation > most {
				return fmt.Errorf("the port of node %d to node %d has a utilisation of %v at %v",
					x.Node, x.Peer, x.Utilisation, x.Time)
			}
			last[[2]netsim.NodeID{netsim.NodeID(x.Node), netsim.NodeID(x.Peer)}] = *x
			looked = max(looked, x.Time)
			return nil
		})
	if sampled := r.Scenario.Run.Sampling; err != nil || looked < r.Ended || !isAll(sampled.Nodes) ||
		!isAll(sampled.Ports) ||
		len(r.Monitors) > 0 { // a host may send a report after the last event
		return err
	}
	var packets, marks int64
	for _, x := range last {
		packets, marks = packets+x.Packets, marks+x.Marks
	}
	if packets != r.Counters.PacketHops || marks != int64(r.Summary.Marks) {
		return fmt.Errorf("ports have sent %d packets and marked %d at %v, but the run counts %d and %d until %v",
			packets, marks, looked, r.Counters.PacketHops, r.Summary.Marks, r.Ended)
	}
	return nil
}

// isAll reports whether a selection is "all".
func isAll(selection []string) bool { return slices.Equal(selection, []string{"all"}) }
