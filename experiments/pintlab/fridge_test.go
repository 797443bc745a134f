package pintlab

import (
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"pintlab/netsim/unit"
	"pintlab/workloads/packets"
)

// segments is a source of packets.
type segments []packets.Packet

// someSegments returns a few TCP segments. Three segments have data; the first two of them are acknowledged after 2 ms
// and 1 ms. A reset, the third segment again, and its acknowledgement follow.
func someSegments() *segments {
	out := packets.MakeTuple(0x0a000001, 0xc0a80001, 4000, 443, packets.TCP)
	return &segments{
		{Tuple: out, Size: 140, Flags: packets.ACK, Seq: 100, Ack: 7, Payload: 100},
		{Time: unit.Millisecond, Tuple: out, Size: 140, Flags: packets.ACK, Seq: 200, Ack: 7, Payload: 100},
		{Time: 2 * unit.Millisecond, Tuple: out.Reverse(), Size: 40, Flags: packets.ACK, Seq: 7, Ack: 200},
		{Time: 2 * unit.Millisecond, Tuple: out.Reverse(), Size: 40, Flags: packets.ACK, Seq: 7, Ack: 300},
		{Time: 3 * unit.Millisecond, Tuple: out, Size: 140, Flags: packets.ACK, Seq: 300, Ack: 7, Payload: 100},
		{Time: 4 * unit.Millisecond, Tuple: out, Size: 40, Flags: packets.RST, Seq: 400},
		{Time: 5 * unit.Millisecond, Tuple: out, Size: 140, Flags: packets.ACK, Seq: 300, Ack: 7, Payload: 100},
		{Time: 6 * unit.Millisecond, Tuple: out.Reverse(), Size: 40, Flags: packets.ACK, Seq: 7, Ack: 400},
	}
}

func (s *segments) Next(p *packets.Packet) bool {
	if len(*s) == 0 {
		return false
	}
	*p, *s = (*s)[0], (*s)[1:]
	return true
}

func (*segments) Err() error { return nil }

// capture writes the segments of someSegments to a capture file.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: capture FILE")
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = packets.WritePcap(f, someSegments())
	ts.Check(err)
	ts.Check(f.Close())
}
