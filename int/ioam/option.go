package ioam

import (
	"encoding/binary"
	"errors"
	"fmt"

	"pintlab/internal/number"
)

// Option is a trace option from its header on (RFC 9197, section 4.4).
//
//	namespace 16 | NodeLen 5 | flags 4 | RemainingLen 7
//	trace type 24 | reserved 8
//	records, the newest first; in a pre-allocated option behind the free room
type Option struct {
	Incremental bool // whether the IOAM type is 1, and not 0
	Namespace   uint16
	Words       uint8 // NodeLen: 4-byte words of a record, without an opaque snapshot
	Overflow    bool  // a node found no room
	Remaining   uint8 // words of free room
	Type        uint32
	Records     []Record // the oldest first
}

// Bits of the trace type, by number; bit 0 is the highest of 24.
const (
	bitNode = iota
	bitInterfaces
	bitSeconds
	bitFraction
	bitDelay
	bitData
	bitQueue
	bitComplement
	bitWideNode
	bitWideInterfaces
	bitWideData
	bitBuffer
	bitUndefined  // up to 21
	bitOpaque     = 22
	unavailable   = 0xffffffff
	optionType    = 0x31 // type of an IPv6 option that nodes may change, or skip if they do not know it (RFC 9486)
	headerSize    = 8
	incremental   = 1
	optionPrelude = 2 // reserved, IOAM type
)

func bit(n int) uint32 { return 1 << (23 - n) }

// Record has the values that a node has written. Missing values are nil.
type Record struct {
	HopLimit          *int64
	Node              *int64
	Ingress, Egress   *int64
	Seconds, Fraction *int64
	Delay             *int64 // ns
	Data              *int64 // namespace-specific
	Queue             *int64
	Buffer            *int64
	Undefined         [10]*int64 // of bits 12 to 21
}

// words returns the number of words that the fields of a type take.
func words(kind uint32) (n int) {
	for b := range bitOpaque {
		if kind&bit(b) != 0 {
			n++
			if b >= bitWideNode && b <= bitWideData {
				n++
			}
		}
	}
	return n
}

// value returns a field unless it is all ones.
func value(v, ones uint64) *int64 {
	if v == ones {
		return nil
	}
	n := int64(v)
	return &n
}

// decode reads a record from b, which contains all words of the record.
func (r *Record) decode(b []byte, kind uint32) {
	*r = Record{}
	for n := range bitOpaque {
		if kind&bit(n) == 0 {
			continue
		}
		w := uint64(binary.BigEndian.Uint32(b))
		b = b[4:]
		whole := value(w, unavailable)
		switch n {
		case bitNode:
			r.HopLimit, r.Node = value(w>>24, 0xff), value(w&0xffffff, 0xffffff)
		case bitInterfaces:
			r.Ingress, r.Egress = value(w>>16, 0xffff), value(w&0xffff, 0xffff)
		case bitSeconds:
			r.Seconds = whole
		case bitFraction:
			r.Fraction = whole
		case bitDelay:
			if w>>31 == 0 { // otherwise it overflowed
				r.Delay = whole
			}
		case bitData:
			r.Data = whole
		case bitQueue:
			r.Queue = whole
		case bitComplement:
		case bitWideNode, bitWideInterfaces, bitWideData:
			low := uint64(binary.BigEndian.Uint32(b))
			b = b[4:]
			switch n {
			case bitWideNode:
				r.HopLimit, r.Node = value(w>>24, 0xff), value(w&0xffffff<<32|low, 1<<56-1)
			case bitWideInterfaces:
				r.Ingress, r.Egress = whole, value(low, unavailable)
			default:
				r.Data = value(w<<32|low, 1<<64-1)
			}
		case bitBuffer:
			r.Buffer = whole
		default:
			r.Undefined[n-bitUndefined] = whole
		}
	}
}

// Decode reads an IPv6 hop-by-hop option. b begins after the type and the length of the option.
func (o *Option) Decode(b []byte) error {
	if len(b) < optionPrelude+headerSize || b[1] > incremental {
		return errors.New("ioam: no trace option")
	}
	*o = Option{Incremental: b[1] == incremental}
	b = b[optionPrelude:]
	w := binary.BigEndian.Uint16(b[2:])
	o.Namespace, o.Words, o.Overflow, o.Remaining = binary.BigEndian.Uint16(b), uint8(w>>11), w>>10&1 != 0, uint8(w&127)
	o.Type = binary.BigEndian.Uint32(b[4:]) >> 8
	data := b[headerSize:]
	if n := words(o.Type); n != int(o.Words) || n == 0 {
		return fmt.Errorf("ioam: records of %d words, but their type %#06x needs %s", o.Words, o.Type,
			number.Count(n, "word"))
	}
	if !o.Incremental {
		if 4*int(o.Remaining) > len(data) {
			return fmt.Errorf("ioam: %s in a trace of only %s", number.Count(int(o.Remaining), "free word"),
				number.Count(len(data), "byte"))
		}
		data = data[4*int(o.Remaining):]
	}
	for len(data) > 0 {
		size := 4 * int(o.Words)
		if len(data) < size {
			return fmt.Errorf("ioam: the last record of a trace has %s, want %d", number.Count(len(data), "byte"), size)
		}
		if o.Type&bit(bitOpaque) != 0 { // length 8 in words, schema 24, data
			if len(data) < size+4 || len(data) < size+4+4*int(data[size]) {
				return errors.New("ioam: a trace ends inside an opaque snapshot")
			}
			size += 4 + 4*int(data[size])
		}
		var r Record
		r.decode(data, o.Type)
		o.Records = append(o.Records, r)
		data = data[size:]
	}
	for i, j := 0, len(o.Records)-1; i < j; i, j = i+1, j-1 {
		o.Records[i], o.Records[j] = o.Records[j], o.Records[i]
	}
	return nil
}

// Sent returns the bytes sent. They are in the first field of the record that RFC 9197 does not define.
func (r *Record) Sent() *int64 {
	for _, v := range r.Undefined {
		if v != nil {
			return v
		}
	}
	return nil
}

// Options returns the trace options among the options of a hop-by-hop header, without next header and length.
func Options(b []byte) (list []Option, err error) {
	for len(b) > 0 {
		if b[0] == 0 { // Pad1
			b = b[1:]
			continue
		}
		if len(b) < 2 || len(b) < 2+int(b[1]) {
			return list, errors.New("ioam: an IPv6 option exceeds its header")
		}
		end := 2 + int(b[1])
		if content := b[2:end]; b[0] == optionType && len(content) > 1 && content[1] <= incremental {
			var o Option
			if err := o.Decode(content); err != nil {
				return list, err
			}
			list = append(list, o)
		}
		b = b[end:]
	}
	return list, nil
}
