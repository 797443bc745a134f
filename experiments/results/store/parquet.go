package store

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parquet-go/parquet-go"

	"pintlab/internal/lists"
	"pintlab/netsim/unit"
)

// flowRow is a FlowRecord as a row of flows.parquet; its columns are flowColumns.
type flowRow struct {
	ID            int64  `parquet:"id,delta"`                    // number of the flow in the workload, from 0
	Src           int32  `parquet:"src,dict"`                    // node number of the sending host
	Dst           int32  `parquet:"dst,dict"`                    // node number of the receiving host
	SrcPort       int32  `parquet:"src_port,dict"`               // 0 to 65535
	DstPort       int32  `parquet:"dst_port,dict"`               // 0 to 65535
	Class         int32  `parquet:"class,dict"`                  // 0 background, 1 incast
	Outcome       string `parquet:"outcome,dict"`                // see below
	Hops          int32  `parquet:"hops,dict"`                   // switches on the path of the data at the start of the flow, also of a wrong path
	Size          int64  `parquet:"size_bytes"`                  // payload
	Start         int64  `parquet:"start_ps,delta"`              // start of the flow
	FCT           *int64 `parquet:"fct_ps,optional"`             // from the start to the ACK of the last byte; of a `projected` flow, its size over its mean pace so far; of an `estimated` flow, put together from its delays on links; otherwise null
	Ideal         int64  `parquet:"ideal_ps"`                    // the same alone in the network without telemetry (`run.ideal_fct`), whatever the scheme, on the path at the start of the flow; if packets take several paths, a lower bound over all of them; slowdown = `fct_ps` / `ideal_ps`, which is below 1 only if `segment: mtu` makes room for what switches add to packets (the first ones are shorter), or if a fault or a repair leads to a faster path
	Packets       *int64 `parquet:"packets,optional,dict"`       // data packets sent, retransmissions included; this and the next two are null in an [estimate](scale.md)
	Retransmitted *int64 `parquet:"retransmitted,optional,dict"` // of these, sent again
	Timeouts      *int64 `parquet:"timeouts,optional,dict"`      // expiries of the retransmission timer
}

// counts returns the columns of FlowRecord.counts.
func (r *flowRow) counts() [3]**int64 { return [3]**int64{&r.Packets, &r.Retransmitted, &r.Timeouts} }

// rowGroup is the largest number of rows that a writer holds in memory, and mostGroup the largest size in bytes of so
// many rows that a reader accepts. A reader decompresses a column of a row group at once.
const (
	rowGroup  = 1 << 17
	mostGroup = 64 << 20
)

// CreateParquet returns a writer of a Parquet file.
func CreateParquet[T any](w io.Writer) rowWriter[T] {
	return parquet.NewGenericWriter[T](w,
		parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(rowGroup),
		// a constant, so that all builds write the same bytes
		parquet.CreatedBy("pintlab", "1", "0"))
}

// WriteFlowsParquet writes every flow in order of IDs. fct_ps is null for flows that have not finished;
// counts are null for estimated flows.
func WriteFlowsParquet(w io.Writer, flows *Flows) error {
	records, err := flows.byID()
	if err != nil {
		return fmt.Errorf("flows.parquet: %w", err)
	}
	pw := CreateParquet[flowRow](w)
	batch := make([]flowRow, 0, 1024)
	present := make([][4]int64, cap(batch)) // memory for the pointers of each row
	flush := func() error {
		_, err := pw.Write(batch)
		batch = batch[:0]
		return err
	}
	for r := range records {
		row := flowRow{
			ID: r.ID, Src: r.Src, Dst: r.Dst, SrcPort: int32(r.SrcPort), DstPort: int32(r.DstPort),
			Class: int32(r.Class), Outcome: r.Outcome.String(), Hops: int32(r.Hops),
			Size: int64(r.Size), Start: int64(r.Start), Ideal: int64(r.Ideal),
		}
		values := &present[len(batch)]
		if r.Outcome.Timed() {
			values[3] = int64(r.FCT)
			row.FCT = &values[3]
		}
		counts := r.counts()
		for i, to := range row.counts() {
			if counts[i] != Unknown {
				values[i] = int64(counts[i])
				*to = &values[i]
			}
		}
		batch = append(batch, row)
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

// readFlowsParquet calls use for each record of a file that WriteFlowsParquet wrote. name is the file's
// name for errors.
func readFlowsParquet(r io.ReaderAt, size int64, name string, use func(*FlowRecord) error) error {
	seen := idSet{}
	return readParquet(r, size, name, flowColumns, func(row *flowRow) error {
		rec := FlowRecord{
			ID: row.ID, Src: row.Src, Dst: row.Dst, SrcPort: uint16(row.SrcPort), DstPort: uint16(row.DstPort),
			Class: uint8(row.Class), Hops: uint8(row.Hops),
			Size: unit.Bytes(row.Size), Start: unit.Time(row.Start), FCT: unit.Never, Ideal: unit.Time(row.Ideal),
		}
		for i, to := range []*uint32{&rec.Packets, &rec.Retransmitted, &rec.Timeouts} {
			from := *row.counts()[i]
			if *to = Unknown; from == nil {
				continue
			}
			if *to = uint32(*from); int64(*to) != *from || *to == Unknown {
				return errors.New("a number is out of range")
			}
		}
		if row.FCT != nil {
			rec.FCT = unit.Time(*row.FCT)
		}
		var err error
		if rec.Outcome, err = parseFlowStatus(row.Outcome); err != nil {
			return err
		}
		if int32(rec.SrcPort) != row.SrcPort || int32(rec.DstPort) != row.DstPort || int32(rec.Class) != row.Class || int32(rec.Hops) != row.Hops {
			return errors.New("a number is out of range")
		}
		if err := rec.check(); err != nil {
			return err
		}
		if !seen.add(rec.ID) {
			return fmt.Errorf("id %d is there twice", rec.ID)
		}
		return use(&rec)
	})
}

// readParquet calls use for each row of a file with exactly these columns.
func readParquet[T any](r io.ReaderAt, size int64, name string, columns []string, use func(*T) error) (err error) {
	// The Parquet library can panic on malformed input. Report that as an error in the file.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: not a readable Parquet file: %v", name, p)
		}
	}()
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return fmt.Errorf("%s: not a readable Parquet file: %w", name, err)
	}
	for i, g := range f.Metadata().RowGroups {
		if g.NumRows > rowGroup || g.TotalByteSize > mostGroup {
			return fmt.Errorf("%s: row group %d has %d rows of %d bytes, want at most %d rows of %d bytes", name, i, g.NumRows, g.TotalByteSize, rowGroup, mostGroup)
		}
	}
	have := lists.Map(f.Root().Columns(), func(c *parquet.Column) string { return c.Name() })
	if fmt.Sprint(have) != fmt.Sprint(columns) {
		return fmt.Errorf("%s: columns %q, want %q", name, have, columns)
	}
	pr := parquet.NewGenericReader[T](f)
	defer pr.Close()
	rows := make([]T, 1024)
	for n := 0; ; {
		// Rows must not share pointers with rows of the batch before.
		clear(rows)
		k, err := pr.Read(rows)
		for i := range k {
			n++
			if err := use(&rows[i]); err != nil {
				return fmt.Errorf("%s: row %d: %w", name, n, err)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}

// openSized opens a file and returns its size.
func openSized(path string) (*os.File, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}
