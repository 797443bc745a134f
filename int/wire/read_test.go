package wire

import (
	"bytes"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	inband "pintlab/int"
)

var all = Signs{DSCP: INTMark, Blocks: BlockMark, Port: 5000, Outer: 5001, Report: ReportPort}

// bytesOf reads hexadecimal digits.
func bytesOf(t testing.TB, words string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(words), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The example of Telemetry Report 2.0 has embedded INT-MD in a TCP packet, after IPv4 and UDP. Switch3 (node 3) adds
// its queue to the stack of the hops 2 and 1. The outer UDP header of INT has port 5001.
const specExample = `
4500 0084 0000 4000 4011 0000 0a000003 0a000063
7ffe 7ffe 0070 0000
2000 0007 00000003
1417 0120 1000 0000 0000 0000 01000033
4500 0050 0000 4000 4011 0000 0a0a0101 0a0a0202
c000 1389 003c 0000
1807 0006
2000 0206 9000 0000 0000 0000
00000002 02000022
00000001 01000011
1f90 0050 00000000 00000000 5010 0000 00000000
`

func TestExampleOfTheSpecification(t *testing.T) {
	finds, err := all.Read(slices.Concat(make([]byte, 14), bytesOf(t, specExample)), 14)
	if err != nil || len(finds) != 1 {
		t.Fatal(finds, err)
	}
	f := finds[0]
	if f.Source != FromReport || f.Src.String() != "10.10.1.1:8080" || f.Dst.String() != "10.10.2.2:80" ||
		f.Protocol != 6 {
		t.Errorf("the packet is %v to %v, protocol %d, of %s", f.Src, f.Dst, f.Protocol, f.Source)
	}
	if r := f.Reporter; r.Node != 3 || r.Sequence != 7 || !r.First || !r.Tracked || r.Dropped || r.Congested ||
		r.Intermediate {
		t.Errorf("%+v", r)
	}
	for i, want := range [][3]int64{{1, 1, 0x11}, {2, 2, 0x22}, {3, 1, 0x33}} {
		if h := f.Hops[i]; *h.Node != want[0] || *h.QueueID != want[1] || *h.Queue != want[2] || h.Latency != nil {
			t.Errorf("hop %d: node %d, queue %d of %d", i+1, *h.Node, *h.QueueID, *h.Queue)
		}
	}
}

// Errors name the byte of the frame at which the unreadable part begins.
func TestMistakes(t *testing.T) {
	b := bytesOf(t, specExample)
	change := func(at int, x byte) []byte { c := bytes.Clone(b); c[at] = x; return c }
	for name, tt := range map[string]struct {
		packet []byte
		at     int
		want   string
	}{
		"version of the report":   {change(28, 0x10), 14 + 28, "telemetry report of version 1, want 2"},
		"length of the report":    {change(37, 0x40), 14 + 36, "individual report of 260 bytes"},
		"metadata of the report":  {change(38, 0), 14 + 36, "its bits 0x1000 need 4"},
		"type of INT":             {change(80, 0x58), 14 + 80, "INT type 5"},
		"length of INT":           {change(81, 60), 14 + 80, "INT of 244 bytes"},
		"hops of INT":             {change(86, 3), 14 + 96, "stack of 4 words, with 3 for each hop"},
		"the capture ends in INT": {b[:100], 14 + 36, "individual report of 96 bytes, but only 64 bytes left"},
	} {
		_, err := all.Read(slices.Concat(make([]byte, 14), tt.packet), 14)
		var m *Mistake
		if !errors.As(err, &m) || m.Byte != tt.at || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want byte %d: %s", name, err, tt.at, tt.want)
		}
	}
}

// The test reads blocks of SketchINT that were written by hand, without drops and with drops. A block contains two
// hops, the oldest first.
func TestBlocksOfSketchINT(t *testing.T) {
	const head = "4500 0000 0000 4000 4011 0000 0b000001 0b000101 2710 00c8 0000 0000 00000000 0001 "
	for _, tt := range []struct {
		block string
		want  [][3]int64 // node, latency, drops; -1 for none
	}{
		{"500e 0002 0014 000001f4 0015 00000258", [][3]int64{{20, 500, -1}, {21, 600, -1}}},
		{"9016 0002 0014 000001f4 00000007 0015 00000258 ffffffff", [][3]int64{{20, 500, 7}, {21, 600, 1<<32 - 1}}},
		{"900e 0002 0014 000001f4 0015 00000258", nil},
		{"5016 0002 0014 000001f4 00000007 0015 00000258 ffffffff", nil},
	} {
		b := bytesOf(t, head+tt.block)
		b[1], b[3], b[25] = BlockMark<<2, byte(len(b)), byte(len(b)-20)
		finds, err := all.Read(slices.Concat(make([]byte, 14), b), 14)
		if tt.want == nil {
			if err == nil || !strings.Contains(err.Error(), "for each counted hop") {
				t.Errorf("%s: %v, %v", tt.block, finds, err)
			}
			continue
		}
		if err != nil || len(finds) != 1 || finds[0].Source != FromSketchINT || len(finds[0].Hops) != 2 {
			t.Fatalf("%s: %v, %v", tt.block, finds, err)
		}
		for i, want := range tt.want {
			h := finds[0].Hops[i]
			if *h.Node != want[0] || *h.Latency != want[1] || (h.Drops == nil) != (want[2] < 0) ||
				h.Drops != nil && *h.Drops != want[2] {
				t.Errorf("%s: hop %d: %+v, want %v", tt.block, i+1, h, want)
			}
		}
	}
}

// Reading any packet ends, and finds at most as many hops as fit into it.
func FuzzRead(f *testing.F) {
	f.Add(bytesOf(f, specExample))
	f.Add(bytesOf(f, "4500 002a 0000 4000 40110000 0b000001 0b000101 2710 00c8 0016 0000 00000000 0001 0001 3008 "+
		"0000000000000000"))
	f.Add(bytesOf(f, "020000000001 020000000002 9901 0000 1fffff00 0800 45000014 0000 4000 40110000 0b000001 0b000101"))
	f.Add(bytesOf(f, "459c 0034 0000 4000 40110000 0b000001 0b000101 2710 00c8 0020 0000 00000000 0001 900c 0001 0014 "+
		"000001f4 00000007"))
	f.Add(bytesOf(f, "45dc 0024 0000 4000 40110000 0b000001 0b000101 2710 00c8 0010 0000 1003 00 9c 2000 0206 9000 "+
		"0000 0000 0000"))
	f.Fuzz(func(t *testing.T, b []byte) {
		finds, _ := all.Read(b, min(len(b), 22))
		if more, _ := all.Read(b, 0); len(more) > len(finds) {
			finds = more
		}
		hops := 0
		for _, x := range finds {
			hops += len(x.Hops)
		}
		if len(finds) > len(b) || hops > len(b) {
			t.Errorf("%d finds, %d hops in %d bytes", len(finds), hops, len(b))
		}
	})
}

// FuzzReport checks that a report that can be read can be written again, byte for byte, except for ignored bits.
func FuzzReport(f *testing.F) {
	f.Add(bytesOf(f, specExample)[28:])
	f.Fuzz(func(t *testing.T, b []byte) {
		var g, again inband.ReportGroup
		rest, err := g.Decode(b)
		if err != nil {
			return
		}
		var r, second inband.Report
		if _, err := r.Decode(rest); err != nil {
			return
		}
		written, err := r.Append(g.Append(nil))
		if err != nil {
			return // contents that are not whole words
		}
		if rest, err = again.Decode(written); err != nil || again != g {
			t.Fatalf("%+v is read again as %+v, %v", g, again, err)
		}
		if end, err := second.Decode(rest); err != nil || len(end) > 0 || !bytes.Equal(second.Contents, r.Contents) ||
			second.Bits != r.Bits {
			t.Fatalf("%+v is read again as %+v, %v", r, second, err)
		}
	})
}
