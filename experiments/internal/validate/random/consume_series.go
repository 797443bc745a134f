package random

import (
	"bytes"
	"fmt"
	"math"

	"pintlab/experiments/results/store"
)

// series checks the samples of ports and flows, and that all formats contain the same samples.
func (s *stored) series() (err error) {
	if s.ports, err = rows(s, &store.PortSeries); err != nil {
		return err
	}
	if s.samples, err = rows(s, &store.FlowSeries); err != nil {
		return err
	}
	s.checkPorts()
	s.checkSamples()
	return nil
}

// rows reads a series from its files in all formats and checks that they contain the same rows.
func rows[T any](s *stored, file *store.SeriesFile[T]) (list []T, err error) {
	read := 0
	for _, name := range []string{file.Parquet(), file.CSV()} {
		if !s.has(name) {
			continue
		}
		var got []T
		content, err := s.read(name)
		if err != nil {
			return nil, err
		}
		in, keep := bytes.NewReader(content), func(row *T) error { got = append(got, *row); return nil }
		if name == file.CSV() {
			err = file.ReadCSV(in, name, keep)
		} else {
			err = file.Read(in, in.Size(), name, keep)
		}
		if err != nil {
			return nil, err
		}
		if read++; read > 1 && fmt.Sprint(got) != fmt.Sprint(list) { // which compares NaN, too
			s.wrong("%s and %s have different rows", file.Parquet(), file.CSV())
		}
		list = got
	}
	return list, nil
}

// port identifies a port by its two ends.
type port [2]int32

func (p port) String() string { return fmt.Sprintf("%d-%d", p[0], p[1]) }

// most returns the largest share of a link that a port can use. If transmission times are rounded down to whole
// nanoseconds, a port sends faster than the link.
func (s *stored) most() float64 {
	if s.run.Scenario.Network.Serialisation == "floor-ns" {
		return 2
	}
	return 1 + 1e-9 // sums of shares are rounded
}

// checkPorts checks that counters only grow, up to the totals of the run.
func (s *stored) checkPorts() {
	if s.ports == nil {
		return
	}
	before := map[port]*store.PortSample{}
	for i := range s.ports {
		x := &s.ports[i]
		at := port{x.Node, x.Peer}
		last := before[at]
		before[at] = x
		if x.Utilisation < 0 || x.Utilisation > s.most() {
			s.wrong("utilisation %v of port %d-%d at %v", x.Utilisation, x.Node, x.Peer, x.Time)
		}
		if last == nil {
			continue
		}
		if x.Sent < last.Sent || x.Packets < last.Packets || x.Marks < last.Marks || x.Drops < last.Drops ||
			x.Pauses < last.Pauses || x.PausedTime < last.PausedTime {
			s.wrong("a counter of port %d-%d falls at %v", x.Node, x.Peer, x.Time)
		}
		if d := x.Time - last.Time; x.PausedTime-last.PausedTime > d {
			s.wrong("port %d-%d was paused for longer than %v before %v", x.Node, x.Peer, d, x.Time)
		}
	}
	var packets, marks, drops int64
	for _, x := range s.final() {
		packets, marks, drops = packets+x.Packets, marks+x.Marks, drops+x.Drops
	}
	c, m := &s.r.Counters, &s.r.Summary
	if packets > c.PacketHops || marks > int64(m.Marks) || drops > c.Dropped {
		s.wrong("the ports have sent %d packets, marked %d and dropped %d, but the whole run counts %d, %d and "+
			"%d", packets,
			marks, drops, c.PacketHops, m.Marks, c.Dropped)
	}
	if s.complete() {
		equal(s, "packets of all ports", packets, c.PacketHops)
		equal(s, "marks of all ports", marks, int64(m.Marks))
	}
}

// final returns the last row of each port.
func (s *stored) final() map[port]*store.PortSample {
	last := map[port]*store.PortSample{}
	for i := range s.ports {
		last[port{s.ports[i].Node, s.ports[i].Peer}] = &s.ports[i]
	}
	return last
}

// complete reports whether the samples have all ports up to the end of the run.
func (s *stored) complete() bool {
	x := &s.run.Scenario.Run.Sampling
	return s.ports != nil && x.Nodes[0] == "all" && s.r.Ended <= x.To
}

// checkSamples checks the samples of flows against their records.
func (s *stored) checkSamples() {
	records := s.byID()
	before := map[int64]store.FlowSample{}
	for i := range s.samples {
		x := &s.samples[i]
		f, last := records[x.Flow], before[x.Flow]
		switch {
		case f == nil:
			s.wrong("flow %d of a sample has no record", x.Flow)
		case f.Src != x.Src || f.Dst != x.Dst:
			s.wrong("flow %d from %d to %d has a sample from %d to %d", x.Flow, f.Src, f.Dst, x.Src, x.Dst)
		case x.Acked > f.Size || x.Acked < last.Acked || x.Acked+x.Flight > f.Size:
			s.wrong("flow %d of %v has %v acknowledged and %v under way at %v, and %v acknowledged before", x.Flow,
				f.Size, x.Acked, x.Flight, x.Time, last.Acked)
		case x.Delivered < max(x.Acked, last.Delivered) || x.Delivered > f.Size:
			s.wrong("flow %d of %v has %v delivered at %v, with %v acknowledged and %v delivered before", x.Flow,
				f.Size, x.Delivered, x.Time, x.Acked, last.Delivered)
		case x.Time < f.Start || f.Outcome == store.Finished && x.Time > f.Start+f.FCT:
			s.wrong("flow %d, which starts at %v and takes %v, has a sample at %v", x.Flow, f.Start, f.FCT, x.Time)
		case math.IsInf(x.Load, 0):
			s.wrong("flow %d has the load %v at %v", x.Flow, x.Load, x.Time)
		}
		before[x.Flow] = *x
	}
}

func (s *stored) byID() map[int64]*store.FlowRecord {
	records := map[int64]*store.FlowRecord{}
	for i := range s.flows {
		records[s.flows[i].ID] = &s.flows[i]
	}
	return records
}
