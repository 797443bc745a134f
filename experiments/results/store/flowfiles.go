package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"pintlab/netsim/unit"
)

// flowRow is a FlowRecord as a row of flows.parquet and flows.csv.
type flowRow struct {
	ID      int64  `parquet:"id,delta"`                  // number of the flow in the workload, from 0
	Src     int32  `parquet:"src,dict"`                  // node number of the sending host
	Dst     int32  `parquet:"dst,dict"`                  // node number of the receiving host
	SrcPort int32  `parquet:"src_port,dict" max:"65535"` // 0 to 65535
	DstPort int32  `parquet:"dst_port,dict" max:"65535"` // 0 to 65535
	Class   int32  `parquet:"class,dict" max:"255"`      // 0 background, 1 incast
	Outcome string `parquet:"outcome,dict"`              // see below
	// switches on the path of the data when the flow starts, even if the path is wrong
	Hops  int32 `parquet:"hops,dict" max:"255"`
	Size  int64 `parquet:"size_bytes" min:"1"`                       // payload
	Start int64 `parquet:"start_ps,delta" max:"9223372036854775806"` // start of the flow
	// from the start to the ACK of the last byte; for a `projected` flow, its size divided by its mean pace so far; for
	// an `estimated` flow, computed from its delays on links; otherwise null
	FCT *int64 `parquet:"fct_ps,optional" min:"1" max:"9223372036854775806"`
	// completion time of the same flow alone in the network without telemetry (`run.ideal_fct`), on the path at the
	// start of the flow. It is the same for all schemes with the same `transport.header`, `transport.ack_header` and
	// payload of a packet. TCP's headers are longer by default (54 B instead of 48 B), so its ideal time is 0.57 %
	// longer with a payload of 1000 B, as in `compare`; with `segment: mtu`, its default, packets have more payload. If
	// packets take several paths, the ideal time is a lower bound over all of them. slowdown = `fct_ps` / `ideal_ps`.
	// The slowdown is below 1 only if `segment: mtu` makes room for what switches add to packets (the first packets are
	// shorter), or if a fault or a repair leads to a faster path. Null if the flow is `unreachable`
	Ideal *int64 `parquet:"ideal_ps,optional" min:"1"`
	// data packets sent, including retransmissions; this and the next two columns are null in an
	// [estimate](../../large-runs.md)
	Packets *int64 `parquet:"packets,optional,dict" max:"4294967294"`
	// number of retransmissions among these packets
	Retransmitted *int64 `parquet:"retransmitted,optional,dict" max:"4294967294"`
	// expiries of the retransmission timer
	Timeouts *int64 `parquet:"timeouts,optional,dict" max:"4294967294"`
}

var flowTable = tableOf[flowRow]()

// counts returns the columns of FlowRecord.counts.
func (r *flowRow) counts() [3]**int64 { return [3]**int64{&r.Packets, &r.Retransmitted, &r.Timeouts} }

// set makes r the row of a record. values provides memory for the values that may be missing.
func (r *flowRow) set(f *FlowRecord, values *[5]int64) {
	*r = flowRow{
		ID: f.ID, Src: f.Src, Dst: f.Dst, SrcPort: int32(f.SrcPort), DstPort: int32(f.DstPort),
		Class: int32(f.Class), Outcome: f.Outcome.String(), Hops: int32(f.Hops),
		Size: int64(f.Size), Start: int64(f.Start),
	}
	if f.Outcome.Timed() {
		values[3] = int64(f.FCT)
		r.FCT = &values[3]
	}
	if f.Ideal != unit.Never {
		values[4] = int64(f.Ideal)
		r.Ideal = &values[4]
	}
	for i, n := range f.counts() {
		if n != Unknown {
			values[i] = int64(n)
			*r.counts()[i] = &values[i]
		}
	}
}

// record returns the record of a row.
func (r *flowRow) record() (FlowRecord, error) {
	f := FlowRecord{
		ID: r.ID, Src: r.Src, Dst: r.Dst, SrcPort: uint16(r.SrcPort), DstPort: uint16(r.DstPort),
		Class: uint8(r.Class), Hops: uint8(r.Hops),
		Size: unit.Bytes(r.Size), Start: unit.Time(r.Start), FCT: unit.Never, Ideal: unit.Never,
	}
	fits := int32(f.SrcPort) == r.SrcPort && int32(f.DstPort) == r.DstPort &&
		int32(f.Class) == r.Class && int32(f.Hops) == r.Hops
	for i, to := range []*uint32{&f.Packets, &f.Retransmitted, &f.Timeouts} {
		*to = Unknown
		if n := *r.counts()[i]; n != nil {
			*to = uint32(*n)
			fits = fits && int64(*to) == *n && *to != Unknown
		}
	}
	if !fits {
		return f, errors.New("a number is out of range")
	}
	var err error
	if f.Outcome, err = parseFlowStatus(r.Outcome); err != nil {
		return f, err
	}
	switch {
	case f.Outcome.Timed() && r.FCT == nil:
		return f, fmt.Errorf(`fct_ps = "", want a whole number between 1 and %d`, unit.Never-1)
	case !f.Outcome.Timed() && r.FCT != nil:
		return f, fmt.Errorf(`fct_ps = "%d", want an empty value for a flow that is %v`, *r.FCT, f.Outcome)
	case r.FCT != nil:
		f.FCT = unit.Time(*r.FCT)
	}
	if r.Ideal != nil {
		f.Ideal = unit.Time(*r.Ideal)
	}
	return f, f.check()
}

// WriteFlowsCSV writes a line of column names and then every flow in the order of IDs. fct_ps is empty for
// flows that have not finished, and ideal_ps for unreachable flows; counts are empty for estimated flows.
func WriteFlowsCSV(w io.Writer, flows *Flows) error {
	records, err := flows.byID()
	if err != nil {
		return fmt.Errorf("flows.csv: %w", err)
	}
	b := bufio.NewWriterSize(w, 1<<16)
	b.WriteString(flowTable.header() + "\n")
	var row flowRow
	var values [5]int64
	var line []byte
	for r := range records {
		row.set(r, &values)
		line = flowTable.line(line[:0], &row)
		if _, err := b.Write(line); err != nil {
			return err
		}
	}
	return b.Flush()
}

// WriteFlowsParquet writes every flow in order of IDs. fct_ps is null for flows that have not finished, and
// ideal_ps for unreachable flows; counts are null for estimated flows.
func WriteFlowsParquet(w io.Writer, flows *Flows) error {
	records, err := flows.byID()
	if err != nil {
		return fmt.Errorf("flows.parquet: %w", err)
	}
	pw := flowTable.create(w)
	batch := make([]flowRow, 0, 1024)
	values := make([][5]int64, cap(batch))
	flush := func() error {
		_, err := pw.Write(batch)
		batch = batch[:0]
		return err
	}
	for r := range records {
		n := len(batch)
		batch = batch[:n+1]
		batch[n].set(r, &values[n])
		if len(batch) == cap(batch) {
			if err := flush(); err != nil {
				return fmt.Errorf("flows.parquet: %w", err)
			}
		}
	}
	if err := errors.Join(flush(), pw.Close()); err != nil {
		return fmt.Errorf("flows.parquet: %w", err)
	}
	return nil
}

// recordsOf returns a function that passes the record of each row to the function use. Each ID may occur once.
func recordsOf(use func(*FlowRecord) error) func(*flowRow) error {
	seen := idSet{}
	return func(row *flowRow) error {
		r, err := row.record()
		if err != nil {
			return err
		}
		if !seen.add(r.ID) {
			return fmt.Errorf("id %d occurs twice", r.ID)
		}
		return use(&r)
	}
}

// readFlowsCSV passes each record of a file that WriteFlowsCSV wrote to the function use. Errors contain name, the name
// of the file.
func readFlowsCSV(r io.Reader, name string, use func(*FlowRecord) error) error {
	return flowTable.readCSV(r, name, recordsOf(use))
}

// readFlowsParquet passes each record of a file that WriteFlowsParquet wrote to the function use. Errors contain name,
// the name of the file.
func readFlowsParquet(r io.ReaderAt, size int64, name string, use func(*FlowRecord) error) error {
	return flowTable.read(r, size, name, flowTable.names(), recordsOf(use))
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
