package ioam

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

// A header takes 16 B and 20 B per hop, in whole words of 8 B; with the rate, each hop takes 24 B.
func TestSizes(t *testing.T) {
	p := Default()
	for i, want := range []unit.Bytes{16, 40, 56, 80, 96, 120} {
		if got := p.Overhead() + p.Growth(i); got != want {
			t.Errorf("%d hops: %v, want %v", i, got, want)
		}
	}
	p.Speed = true
	if got := p.Overhead() + p.Growth(5); got != 136 {
		t.Errorf("with the rate: %v, want 136B", got)
	}
	p.Speed, p.Trace = false, "preallocated"
	if p.Overhead() != 120 || p.Growth(5) != 0 || p.Growth(7) != 40 {
		t.Errorf("pre-allocated: %v and %v, on seven hops %v", p.Overhead(), p.Growth(5), p.Growth(7))
	}
}

// There are two records with the fields that HPCC reads, of nodes 7 and 9. The newer record is first and has no queue
// depth. The trace type has a bit that RFC 9197 does not define. A pre-allocated option has room for a third record
// before them.
const (
	twoRecords = "3f000009 ffff0004 3b9ac9ff ffffffff 00000bb8" + "40000007 ffff0002 0000007b 00000400 ffffff00"
	kindHPCC   = "d20800 00"
)

func TestDecodeByHand(t *testing.T) {
	for name, text := range map[string]string{
		"incremental":   "0001 504c 2805" + kindHPCC + twoRecords,
		"pre-allocated": "0000 504c 2805" + kindHPCC + strings.Repeat("00", 20) + twoRecords,
	} {
		var o Option
		if err := o.Decode(bytesOf(t, text)); err != nil || len(o.Records) != 2 || o.Overflow || o.Namespace != 0x504c {
			t.Fatalf("%s: %+v, %v", name, o, err)
		}
		got := ""
		for _, r := range o.Records {
			got += fmt.Sprint(*r.HopLimit, *r.Node, r.Ingress, *r.Egress, *r.Fraction, r.Queue != nil, *r.Sent(), "; ")
		}
		if want := "64 7 <nil> 2 123 true 4294967040; 63 9 <nil> 4 999999999 false 3000; "; got != want {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
	}
}

// The record has all fields that RFC 9197 defines, with wide forms and an opaque snapshot of one word.
func TestDecodeAllFields(t *testing.T) {
	var o Option
	text := "0001 0000 7800 fff002 00" + "3f000001 00020003 00000004 00000005 00000006 00000007 00000008 00000009" +
		"3e0000000000000a 0000000b0000000c 000000000000000d 0000000e" + "01000000 deadbeef"
	if err := o.Decode(bytesOf(t, text)); err != nil || len(o.Records) != 1 {
		t.Fatal(o, err)
	}
	r := o.Records[0]
	got := fmt.Sprint(*r.HopLimit, *r.Node, *r.Ingress, *r.Egress, *r.Seconds, *r.Fraction, *r.Delay, *r.Data, *r.Queue,
		*r.Buffer)
	if want := "62 10 11 12 4 5 6 13 8 14"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"0002 504c 2805" + kindHPCC:                 "ioam: no trace option",
		"0001 504c 2005" + kindHPCC:                 "records of 4 words … 0xd20800 needs 5",
		"0001 504c 0000 000000 00":                  "records of 0 words",
		"0000 504c 2806" + kindHPCC + "00000000":    "6 free words in a trace of only 4 bytes",
		"0001 504c 2800" + kindHPCC + "00000000":    "the last record of a trace has 4 bytes, want 20",
		"0001 504c 0800 800002 00 00000001":         "ends inside an opaque snapshot",
		"0001 504c 0800 800002 00 00000001 01":      "ends inside an opaque snapshot",
		"0001 504c 0800 800002 00 0000000101000000": "ends inside an opaque snapshot",
	} {
		var o Option
		if err := o.Decode(bytesOf(t, text)); !errtest.Says(err, "… "+want+" …") && !errtest.Says(err, want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Options of any bytes are either read or refused, and accepted options have complete records.
func FuzzOptions(f *testing.F) {
	f.Add(bytesOf(f, "0100 3132 0001 504c 2805"+kindHPCC+twoRecords))
	f.Add(append([]byte{optionType, 254}, make([]byte, 254)...)) // the header and the option have 256 bytes
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := Options(b)
		if err != nil {
			return
		}
		for _, o := range list {
			if int(o.Words) != words(o.Type) {
				t.Fatal(o)
			}
		}
	})
}

func bytesOf(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clip(b)
}
