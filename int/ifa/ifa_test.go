package ifa

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/internal/errtest"
	"pintlab/netsim/unit"
)

func bytesOf(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// There are two records, the newer one first. One is of device 9 with a link of 400 Gb/s, the other of device 7 with an
// unknown speed.
const two = `00 00 03 10
	10000900 60000002 0004ffff 3b9ac9ff 00000064 00000bb8 00000010 00000000
	10000700 f0000000 00020001 0000007b 00000000 ffffff00 0000ffff 00000000`

func TestDecodeByHand(t *testing.T) {
	got, rest, err := Decode(append(bytesOf(t, two), 1, 2))
	want := []Record{
		{Space: 1, Device: 7, Egress: 2, Ingress: 1, Arrival: 123 * unit.Nanosecond, Sent: 0xffffff00, Queue: 0xffff},
		{Space: 1, Device: 9, Rate: 400 * unit.Gbps, Egress: 4, Ingress: 0xffff,
			Arrival: 3*unit.Second - unit.Nanosecond, Residence: 100 * unit.Nanosecond, Sent: 3000, Queue: 16},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil || len(rest) != 2 {
		t.Errorf("%v, %d bytes left (-want +got):\n%s", err, len(rest), diff)
	}
	if protocol, rest, err := Original([]byte{0x2f, 17, 4, 40, 9}); protocol != 17 || len(rest) != 1 || err != nil {
		t.Errorf("protocol %d, %d bytes left, %v", protocol, len(rest), err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"000000":           "ifa: a metadata header of 3 bytes, want 4",
		"00000008":         "ifa: records of 32 bytes, want a multiple of 32, and at most the 0 bytes that follow",
		"00000001deadbeef": "ifa: records of 4 bytes, want a multiple of 32, and at most the 4 bytes that follow",
	} {
		if _, _, err := Decode(bytesOf(t, text)); !errtest.Says(err, want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, _, err := Original([]byte{0x45, 0, 0, 0}); !errtest.Says(err, "ifa: 45 00 00 00 is not a header of "+
		"version 2") {
		t.Error(err)
	}
}

// Headers have 8 B, and a hop has 32 B.
func TestSizes(t *testing.T) {
	p := Default()
	for i, want := range []unit.Bytes{8, 40, 72, 104, 136, 168} {
		if got := p.Overhead() + p.Growth(i); got != want {
			t.Errorf("%d hops: %v, want %v", i, got, want)
		}
	}
}

// Any bytes are either read or refused.
func FuzzDecode(f *testing.F) {
	f.Add(bytesOf(f, two))
	f.Fuzz(func(t *testing.T, b []byte) {
		if records, rest, err := Decode(b); err == nil && len(b) != len(rest)+4+recordSize*len(records) {
			t.Fatalf("%d records and %d bytes of %d", len(records), len(rest), len(b))
		}
	})
}
