package store

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"pintlab/netsim/unit"
)

// flowColumns are the columns of flows.csv and flows.parquet.
var flowColumns = []string{
	"id", "src", "dst", "src_port", "dst_port", "class", "outcome", "hops", "size_bytes", "start_ps",
	"fct_ps", "ideal_ps", "packets", "retransmitted", "timeouts",
}

// WriteFlowsCSV writes a line of column names and then every flow in the order of IDs. fct_ps is empty for
// flows that have not finished; counts are empty for estimated flows.
func WriteFlowsCSV(w io.Writer, flows *Flows) error {
	records, err := flows.byID()
	if err != nil {
		return fmt.Errorf("flows.csv: %w", err)
	}
	b := bufio.NewWriterSize(w, 1<<16)
	b.WriteString(strings.Join(flowColumns, ",") + "\n")
	var line []byte
	number := func(v int64) { line = append(strconv.AppendInt(line, v, 10), ',') }
	for r := range records {
		line = line[:0]
		number(r.ID)
		number(int64(r.Src))
		number(int64(r.Dst))
		number(int64(r.SrcPort))
		number(int64(r.DstPort))
		number(int64(r.Class))
		line = append(append(line, r.Outcome.String()...), ',')
		number(int64(r.Hops))
		number(int64(r.Size))
		number(int64(r.Start))
		if r.Outcome.Timed() {
			number(int64(r.FCT))
		} else {
			line = append(line, ',')
		}
		number(int64(r.Ideal))
		for _, v := range r.counts() {
			if v != Unknown {
				line = strconv.AppendUint(line, uint64(v), 10)
			}
			line = append(line, ',')
		}
		line[len(line)-1] = '\n'
		if _, err := b.Write(line); err != nil {
			return err
		}
	}
	return b.Flush()
}

// readFlowsCSV calls use for each record of a file that WriteFlowsCSV wrote. name is the file's name for
// errors.
func readFlowsCSV(r io.Reader, name string, use func(*FlowRecord) error) error {
	s := bufio.NewScanner(r)
	header := strings.Join(flowColumns, ",")
	if !s.Scan() {
		if err := s.Err(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return fmt.Errorf("%s: empty, want the column names %s", name, header)
	}
	if got := strings.TrimSuffix(s.Text(), "\r"); got != header {
		return fmt.Errorf("%s:1: columns %q, want %s", name, got, header)
	}
	seen := idSet{}
	for n := 2; s.Scan(); n++ {
		rec, err := parseFlow(strings.Split(strings.TrimSuffix(s.Text(), "\r"), ","))
		if err == nil && !seen.add(rec.ID) {
			err = fmt.Errorf("id %d is there twice", rec.ID)
		}
		if err == nil {
			err = use(&rec)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func parseFlow(words []string) (FlowRecord, error) {
	if len(words) != len(flowColumns) {
		return FlowRecord{}, fmt.Errorf("%d columns, want %d: %s", len(words), len(flowColumns), strings.Join(flowColumns, ","))
	}
	outcome, err := parseFlowStatus(words[6])
	if err != nil {
		return FlowRecord{}, err
	}
	p := columnReader{words: words, names: flowColumns}
	r := FlowRecord{
		ID:      p.number(0, 10, 0, 1<<63-1),
		Src:     int32(p.number(1, 10, 0, 1<<31-1)),
		Dst:     int32(p.number(2, 10, 0, 1<<31-1)),
		SrcPort: uint16(p.number(3, 10, 0, 1<<16-1)),
		DstPort: uint16(p.number(4, 10, 0, 1<<16-1)),
		Class:   uint8(p.number(5, 10, 0, 1<<8-1)),
		Outcome: outcome,
		Hops:    uint8(p.number(7, 10, 0, 1<<8-1)),
		Size:    unit.Bytes(p.number(8, 10, 1, 1<<63-1)),
		Start:   unit.Time(p.number(9, 10, 0, 1<<63-2)),
		FCT:     unit.Never,
		Ideal:   unit.Time(p.number(11, 10, 1, 1<<63-1)),
	}
	for i, to := range []*uint32{&r.Packets, &r.Retransmitted, &r.Timeouts} {
		if *to = Unknown; words[12+i] != "" {
			*to = uint32(p.number(12+i, 10, 0, Unknown-1))
		}
	}
	if outcome.Timed() {
		r.FCT = unit.Time(p.number(10, 10, 1, 1<<63-2))
	} else if p.err == nil && words[10] != "" {
		p.err = fmt.Errorf("fct_ps = %q, want nothing for a flow that is %v", words[10], outcome)
	}
	return r, p.err
}

// idSet finds duplicate IDs. It uses bits because most IDs are dense from 0.
type idSet struct {
	bits   []uint64
	sparse map[int64]bool
}

// add reports whether the ID is new.
func (s *idSet) add(id int64) bool {
	const dense = 1 << 26 // 8 MB of bits
	if id >= dense {
		if s.sparse == nil {
			s.sparse = map[int64]bool{}
		}
		known := s.sparse[id]
		s.sparse[id] = true
		return !known
	}
	word, bit := int(id/64), uint64(1)<<(id%64)
	for len(s.bits) <= word {
		s.bits = append(s.bits, 0)
	}
	known := s.bits[word]&bit != 0
	s.bits[word] |= bit
	return !known
}
