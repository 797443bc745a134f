package random

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/netsim/unit"
)

// records checks the manifest and the files of flow records.
func (s *stored) records() error {
	m := s.run.Manifest
	if string(s.run.Scenario.YAML()) != string(s.r.Scenario.YAML()) {
		s.wrong("the manifest has another scenario")
	}
	hash, err := s.run.Scenario.Hash()
	if err != nil {
		return err
	}
	equal(s, "hash", hash, m.Summary.Hash)
	for _, f := range m.Files {
		if err := m.Check(s.dir, f.Name); err != nil {
			return err
		}
	}
	s.counts(&m.Summary)
	flows, err := m.Flows(s.dir) // also the fingerprint
	if err != nil {
		return err
	}
	var got []store.FlowRecord
	for f := range flows.All() {
		got = append(got, *f)
	}
	if !slices.Equal(got, s.flows) {
		s.wrong("%d flows are read back as %d other flows", len(s.flows), len(got))
	}
	if s.has("flows.csv") {
		return s.cells()
	}
	return nil
}

// counts checks the summary of the manifest.
func (s *stored) counts(m *store.Summary) {
	n := map[store.FlowStatus]int{}
	for i := range s.flows {
		n[s.flows[i].Outcome]++
	}
	c := &s.r.Counters
	for _, x := range []struct {
		what      string
		got, want int64
	}{
		{"flows", int64(m.Flows), int64(len(s.flows))}, {"finished", int64(m.Finished), int64(n[store.Finished])},
		{"unfinished", int64(m.Unfinished), int64(n[store.Unfinished] + n[store.Projected])},
		{"projected", int64(m.Projected), int64(n[store.Projected])},
		{"failed", int64(m.Failed), int64(n[store.OutOfTries] + n[store.Unreachable] + n[store.Stalled])},
		{"packet_hops", int64(m.PacketHops), c.PacketHops}, {"drops", int64(m.Drops), c.Dropped},
		{"link_losses", int64(m.LinkLosses), c.Lost},
		{"pauses", int64(m.Pauses), c.Pauses}, {"trims", int64(m.Trims), c.Trimmed},
		{"simulated_ps", m.SimulatedPS, int64(s.r.Ended)},
	} {
		equal(s, x.what, x.got, x.want)
	}
}

// cells checks flows.csv, cell by cell.
func (s *stored) cells() error {
	i := 0
	err := columns.Lines(s.path("flows.csv"), func(l *columns.Line) {
		if i == len(s.flows) {
			l.Fail(errors.New("a flow without a record"))
			return
		}
		f := &s.flows[i]
		i++
		for _, c := range []struct {
			column string
			want   any
			is     bool
		}{
			{"id", f.ID, true}, {"src", f.Src, true}, {"dst", f.Dst, true}, {"src_port", f.SrcPort, true},
			{"dst_port", f.DstPort, true},
			{"class", f.Class, true}, {"outcome", f.Outcome, true}, {"hops", f.Hops, true},
			{"size_bytes", int64(f.Size), true},
			{"start_ps", int64(f.Start), true}, {"fct_ps", int64(f.FCT), f.FCT != unit.Never},
			{"ideal_ps", int64(f.Ideal), f.Ideal != unit.Never},
			{"packets", f.Packets, true}, {"retransmitted", f.Retransmitted, true}, {"timeouts", f.Timeouts, true},
		} {
			want := ""
			if c.is {
				want = fmt.Sprint(c.want)
			}
			equal(s, fmt.Sprintf("%s of flow %d", c.column, f.ID), l.Text(c.column), want)
		}
	})
	equal(s, "number of lines", i, len(s.flows))
	return err
}

// lines checks fct.txt. Its flows are in the order in which they ended.
func (s *stored) lines() error {
	if !s.has("fct.txt") {
		return nil
	}
	file, err := s.read("fct.txt")
	if err != nil {
		return err
	}
	got, err := store.ReadFCT(bytes.NewReader(file), "fct.txt")
	if err != nil {
		return err
	}
	i, last := 0, unit.Time(0)
	for x := range s.r.Flows.All() {
		if x.Outcome != store.Finished {
			continue
		}
		if i == len(got) {
			s.wrong("%d lines, and no flow %d", len(got), x.ID)
			break
		}
		l := got[i]
		i++
		if end := l.Start + l.FCT; end+unit.Nanosecond < last {
			s.wrong("flow %d ends at %v, the one before it at %v", x.ID, end, last)
		}
		last = max(last, l.Start+l.FCT)
		equal(s, fmt.Sprintf("size of flow %d", x.ID), l.Size, x.Size)
		equal(s, fmt.Sprintf("start of flow %d in ns", x.ID), int64(l.Start)/1000, int64(x.Start)/1000)
		equal(s, fmt.Sprintf("time of flow %d in ns", x.ID), int64(l.FCT)/1000, int64(x.FCT)/1000)
		equal(s, fmt.Sprintf("ideal time of flow %d in ns", x.ID), int64(l.Standalone)/1000, int64(x.Ideal)/1000)
		equal(s, fmt.Sprintf("ports of flow %d", x.ID), [2]uint16{l.SrcPort, l.DstPort},
			[2]uint16{x.SrcPort, x.DstPort})
	}
	equal(s, "number of lines", len(got), i)
	return nil
}
