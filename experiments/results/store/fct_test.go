package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pintlab/internal/errtest"
	"pintlab/netsim/route"
	"pintlab/netsim/topo"
	"pintlab/netsim/unit"
)

func TestFCT(t *testing.T) {
	f := &Flows{}
	// Node 9 sends to node 16, as in the first line of a published run.
	f.Append(FlowRecord{
		ID: 3, Src: 9, Dst: 16, SrcPort: 10000, DstPort: 100, Size: 500000, Start: 2 * unit.Second, FCT: 565_574_999,
		Ideal: 46_080_000,
	})
	f.Append(FlowRecord{
		ID: 2, Src: 300, Dst: 1, SrcPort: 10001, DstPort: 200, Size: 1, Start: 1500, FCT: unit.Never, Ideal: 1000,
		Outcome: Unfinished,
	})
	f.Append(FlowRecord{
		ID: 1, Src: 300, Dst: 1, SrcPort: 10001, DstPort: 200, Size: 1, Start: 1500, FCT: 2500, Ideal: 1000,
	})
	var b strings.Builder
	if err := WriteFCT(&b, f); err != nil {
		t.Fatal(err)
	}
	want := "0b000901 0b001001 10000 100 500000 2000000000 565574 46080\n" + // 565574.999 ns is cut
		"0b012c01 0b000101 10001 200 1 1 2 1\n" // flows in the order in which they ended; 300 = 0x012c
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	// Estimated flows have lines, and projected flows have none.
	for outcome, want := range map[FlowStatus]string{
		Estimated: "0b012c01 0b000101 10001 200 1 1 2 1\n", Projected: "",
	} {
		one := &Flows{}
		one.Append(*f.At(2))
		one.At(0).Outcome = outcome
		b.Reset()
		if err := WriteFCT(&b, one); err != nil || b.String() != want {
			t.Errorf("%v: %v, got %q, want %q", outcome, err, b.String(), want)
		}
	}
	// If a flow ends again, it has another line after the flows that ended before, but no further record.
	again := &Flows{}
	again.Append(*f.At(0))
	again.Repeat(*f.At(2))
	again.Append(*f.At(1))
	again.Append(*f.At(2))
	again.Repeat(*f.At(0))
	b.Reset()
	if err := WriteFCT(&b, again); err != nil {
		t.Fatal(err)
	}
	first, second, _ := strings.Cut(want, "\n")
	if got := b.String(); got != first+"\n"+second+second+first+"\n" || again.Len() != 3 {
		t.Errorf("%d flows, got\n%s", again.Len(), got)
	}
	lines, err := ReadFCT(strings.NewReader(want), "fct.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]FCT{FCTOf(f.At(0)), FCTOf(f.At(2))}, lines); diff != "" {
		t.Error(diff)
	}
	if n, err := hostOf(lines[1].SrcIP); n != 300 || err != nil {
		t.Errorf("host %d, %v", n, err)
	}
	if _, err := hostOf(0x0a000101); err == nil {
		t.Error("an address of another form has a host")
	}
}

// hostOf returns the node for an address that route.HostIP made.
func hostOf(ip uint32) (int32, error) {
	n := int32(ip >> 8 & 0xffff)
	if route.HostIP(topo.NodeID(n)) != ip {
		return 0, fmt.Errorf("address %08x, want 0b____01, the form of the HPCC simulators", ip)
	}
	return n, nil
}

func TestFCTErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"\n0b000901 0b001001 10000 100 500000 2000000000 565574\n",
			"f:2: 7 columns, want 8: sip dip sport dport size start_ns fct_ns standalone_ns"},
		{"0b000901 xyz 10000 100 500000 2000000000 565574 1",
			`f:1: dip = "xyz", want a hexadecimal number between 0 and ffffffff`},
		{"0b000901 0b001001 10000 100 0 2000000000 565574 1",
			`f:1: size = "0", want a whole number between 1 and 9223372036854775807`},
		{"0b000901 0b001001 10000 100 1 2000000000 565574 0",
			`f:1: standalone_ns = "0", want a whole number between 1 and 9223372036854775`},
		{"0b000901 0b001001 10000 100 1 9223372036854776 565574 1",
			`f:1: start_ns = "9223372036854776", want a whole number between 0 and 9223372036854775`},
		{"\n" + strings.Repeat("0", bufio.MaxScanTokenSize), "f:2: line longer than 65536 bytes"},
	}
	for _, tt := range tests {
		_, err := ReadFCT(strings.NewReader(tt.text), "f")
		if !errtest.Says(err, tt.want) {
			t.Errorf("%q:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// Reading and writing the published runs preserves them.
func TestPublishedFCT(t *testing.T) {
	const dir = "../../../../shared/reference/hpcc-pint-ns3"
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "fct.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("needs recorded runs of the published simulator next to the checkout, " +
			"as ../shared/reference/hpcc-pint-ns3/CASE/SCHEME/fct.txt")
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := ReadFCT(bytes.NewReader(text), name)
		if err != nil {
			t.Error(err)
			continue
		}
		f := &Flows{}
		for i, l := range lines {
			src, err1 := hostOf(l.SrcIP)
			dst, err2 := hostOf(l.DstIP)
			if err := errors.Join(err1, err2); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			f.Append(FlowRecord{
				ID: int64(i), Src: src, Dst: dst, SrcPort: l.SrcPort, DstPort: l.DstPort, Size: l.Size, Start: l.Start,
				FCT: l.FCT, Ideal: l.Standalone,
			})
		}
		var b bytes.Buffer
		if err := WriteFCT(&b, f); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s changes when it is read and written", name)
		}
	}
}

func FuzzReadFCT(f *testing.F) {
	f.Add("0b000901 0b001001 10000 100 500000 2000000000 565574 46080\n")
	f.Add("\n0b000901 0b001001")
	f.Add("ffffffff 0 0 0 1 0 0 9223372036854775\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := ReadFCT(strings.NewReader(text), "fct.txt")
		if err != nil {
			return
		}
		for _, l := range lines {
			if l.Size < 1 || l.Start < 0 || l.FCT < 0 || l.Standalone < 1 {
				t.Errorf("accepted %+v", l)
			}
		}
	})
}
