package store

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"pintlab/netsim/unit"
)

// PortSample is the state of one egress port at one instant. The counters count
// from the start of the run.
type PortSample struct {
	Time    unit.Time
	Node    int32      // that sends
	Peer    int32      // at the other end of the link
	Queue   unit.Bytes // waiting, all classes
	Sent    unit.Bytes // counter, on the wire
	Drops   uint64     // counter, packets refused for this port
	Marks   uint64     // counter, packets marked with ECN
	Pauses  uint64     // counter, times that the peer has paused the port
	Paused  unit.Time  // counter, time that the port has been paused in any class
	Packets uint64     // counter, packets sent
}

type seriesRow struct {
	Time    int64 `parquet:"time_ps,delta"`
	Node    int32 `parquet:"node,dict"`
	Peer    int32 `parquet:"peer,dict"`
	Queue   int64 `parquet:"queue_bytes"`
	Sent    int64 `parquet:"sent_bytes"`
	Drops   int64 `parquet:"drops,dict"`
	Marks   int64 `parquet:"marks,dict"`
	Pauses  int64 `parquet:"pauses,dict"`
	Paused  int64 `parquet:"paused_ps,dict"`
	Packets int64 `parquet:"packets"`
}

var seriesColumns = []string{"time_ps", "node", "peer", "queue_bytes", "sent_bytes", "drops", "marks", "pauses", "paused_ps", "packets"}

// SeriesWriter writes series.parquet while the run goes on. It holds one row
// group in memory.
type SeriesWriter struct {
	w     *parquet.GenericWriter[seriesRow]
	batch []seriesRow
	rows  int64
	limit int64
}

// NewSeriesWriter begins a file of at most limit rows.
func NewSeriesWriter(w io.Writer, limit int64) *SeriesWriter {
	return &SeriesWriter{
		w:     parquet.NewGenericWriter[seriesRow](w, parquetOptions()...),
		batch: make([]seriesRow, 0, 1024),
		limit: limit,
	}
}

// Append adds a sample. It is an error to go beyond the limit: a series that
// stops unseen would look like a network that has gone quiet.
func (s *SeriesWriter) Append(p PortSample) error {
	if s.rows == s.limit {
		return fmt.Errorf("series.parquet: more than %d rows at %v; sample less often, fewer nodes or a shorter time, or raise run.sampling.max_rows", s.limit, p.Time)
	}
	s.rows++
	s.batch = append(s.batch, seriesRow{
		Time: int64(p.Time), Node: p.Node, Peer: p.Peer, Queue: int64(p.Queue), Sent: int64(p.Sent),
		Drops: int64(p.Drops), Marks: int64(p.Marks), Pauses: int64(p.Pauses), Paused: int64(p.Paused), Packets: int64(p.Packets),
	})
	if len(s.batch) < cap(s.batch) {
		return nil
	}
	return s.flush()
}

// Rows is the number of samples so far.
func (s *SeriesWriter) Rows() int64 { return s.rows }

// Close ends the file. It does not close the underlying writer.
func (s *SeriesWriter) Close() error {
	if err := s.flush(); err != nil {
		return err
	}
	if err := s.w.Close(); err != nil {
		return fmt.Errorf("series.parquet: %w", err)
	}
	return nil
}

func (s *SeriesWriter) flush() error {
	_, err := s.w.Write(s.batch)
	s.batch = s.batch[:0]
	if err != nil {
		return fmt.Errorf("series.parquet: %w", err)
	}
	return nil
}

// ReadSeries calls use for each sample of a series.parquet, in order. name is the
// file, for errors.
func ReadSeries(r io.ReaderAt, size int64, name string, use func(PortSample) error) error {
	return readParquet(r, size, name, seriesColumns, func(row *seriesRow) error {
		for _, v := range []int64{row.Time, row.Queue, row.Sent, row.Drops, row.Marks, row.Pauses, row.Paused, row.Packets} {
			if v < 0 {
				return fmt.Errorf("negative value %d", v)
			}
		}
		return use(PortSample{
			Time: unit.Time(row.Time), Node: row.Node, Peer: row.Peer, Queue: unit.Bytes(row.Queue), Sent: unit.Bytes(row.Sent),
			Drops: uint64(row.Drops), Marks: uint64(row.Marks), Pauses: uint64(row.Pauses), Paused: unit.Time(row.Paused), Packets: uint64(row.Packets),
		})
	})
}
