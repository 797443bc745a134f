package packets

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"pintlab/netsim/unit"
)

// recordSize is the number of bytes of a record.
const recordSize = TupleSize + 8

// recordReader reads a record file.
type recordReader struct {
	reader  *Reader
	in      *bufio.Reader
	started bool
	first   float64
	buf     [recordSize]byte
}

func (r *recordReader) next(p *Packet) error {
	if _, err := io.ReadFull(r.in, r.buf[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			n := int64(r.reader.n)
			return ending(&Truncation{Packets: n, Byte: n * recordSize}, &r.reader.cut)
		}
		return err
	}
	at := math.Float64frombits(binary.LittleEndian.Uint64(r.buf[TupleSize:]))
	if math.IsNaN(at) || math.IsInf(at, 0) {
		return fmt.Errorf("the time is %v seconds", at)
	}
	if !r.started {
		r.started, r.first = true, at
	}
	since := float64((at - r.first) * float64(unit.Second))
	if math.Abs(since) >= math.MaxInt64 {
		return fmt.Errorf("its time is %v s after the first record, want at most 106 days", at-r.first)
	}
	r.reader.n++
	*p = Packet{Time: unit.Time(math.Round(since)), Tuple: Tuple(r.buf[:TupleSize])}
	return nil
}

// WriteRecords writes all packets of a source as records and returns their number.
func WriteRecords(w io.Writer, s Source) (packets int64, err error) {
	b := bufio.NewWriter(w)
	var buf [recordSize]byte
	var p Packet
	for s.Next(&p) {
		copy(buf[:], p.Tuple[:])
		binary.LittleEndian.PutUint64(buf[TupleSize:], math.Float64bits(p.Time.Seconds()))
		if _, err := b.Write(buf[:]); err != nil {
			return packets, err
		}
		packets++
	}
	return packets, errors.Join(s.Err(), b.Flush())
}
