package validate

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
)

const (
	lineINT  = "ACK 2003004195 0 10003 ack=1001 nxt=1001 fast=1 Umax=0.941609195 dt=87 u=0.998778846 rate=95166151454 cur=100000000000 hop0=6512470/2048/0 hop1=6512480/4096/320"
	linePINT = "ACK 2005004256 3 10005 ack=2000 nxt=10000 fast=0 power=62 U=0.0402222704 rate=100000000000 cur=99000000000"
)

func TestParseAck(t *testing.T) {
	tests := []struct {
		line   string
		want   Ack
		digits int
	}{
		{lineINT, Ack{
			Time: 2003004195 * unit.Nanosecond, Port: 10003, Seq: 1001, Next: 1001, Fast: true, Load: 0.998778846,
			Rate: 95166151454, Reference: 100 * unit.Gbps, INT: true, Sample: 0.941609195, Span: 87 * unit.Nanosecond,
			Hops: []AckHop{{Time: 6512470 * unit.Nanosecond, Sent: 2048}, {Time: 6512480 * unit.Nanosecond, Sent: 4096, Queue: 320}},
		}, 9},
		{linePINT, Ack{
			Time: 2005004256 * unit.Nanosecond, Node: 3, Port: 10005, Seq: 2000, Next: 10000, Load: 0.0402222704,
			Rate: 100 * unit.Gbps, Reference: 99 * unit.Gbps, Code: 62,
		}, 9},
	}
	for _, tt := range tests {
		got, digits, err := ParseAck(tt.line)
		if err != nil || digits != tt.digits || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %+v, %d digits, %v", tt.line, got, digits, err)
		}
		if back := got.Line(digits); back != tt.line {
			t.Errorf("written again: %s, was %s", back, tt.line)
		}
	}
}

func TestParseAckRefuses(t *testing.T) {
	tests := []struct{ old, with, want string }{
		{lineINT, "", `want ACK, time, node, source port, ack=, nxt=, fast= and what follows from them`},
		{"ACK ", "NACK ", `want ACK, time, node, source port, ack=, nxt=, fast= and what follows from them`},
		{"2003004195", "-1", `time = "-1", want a whole number between 0 and 9223372036854775`},
		{" 0 10003", " 0 70000", `source port = "70000", want a whole number between 0 and 65535`},
		{"ack=1001", "seq=1001", `"seq=1001", want ack=`},
		{"fast=1", "fast=2", `fast = "2", want a whole number between 0 and 1`},
		{"Umax=0.941609195", "Umax=NaN", `Umax = "NaN", want a decimal number that is not negative`},
		{"u=0.998778846", "u=0x1p-2", `u = "0x1p-2", want a decimal number that is not negative`},
		{"Umax=0.941609195 dt=87", "power=3", `"u=0.998778846", want U=`},
		{"rate=95166151454", "rate=0", `rate = "0", want a whole number between 1 and 9223372036854775807`},
		{" cur=100000000000 hop0=6512470/2048/0 hop1=6512480/4096/320", "", `cur is missing`},
		{"hop1", "hop3", `"hop3=6512480/4096/320", want hop1=`},
		{"hop0=6512470/2048/0", "hop0=6512470/2048", `hop0 = "6512470/2048", want time/bytes/queue`},
		{"6512470/2048/0", "6512470/x/0", `hop0, bytes = "x", want a whole number between 0 and 9223372036854775807`},
	}
	for _, tt := range tests {
		line := strings.Replace(lineINT, tt.old, tt.with, 1)
		if _, _, err := ParseAck(line); err == nil || err.Error() != tt.want {
			t.Errorf("%s: error %v, want %s", line, err, tt.want)
		}
	}
	const too = `"hop0=1/2/3" is too much`
	if _, _, err := ParseAck(linePINT + " hop0=1/2/3"); err == nil || err.Error() != too {
		t.Errorf("error %v, want %s", err, too)
	}
}

func anyAck(t *rapid.T) Ack {
	whole := func(name string, max int64) int64 { return rapid.Int64Range(0, max).Draw(t, name) }
	a := Ack{
		Time: unit.Nanosecond * unit.Time(whole("time", maxNanoseconds)), Node: int32(whole("node", 1<<31-1)), Port: uint16(whole("port", 65535)),
		Seq: whole("ack", 1<<62), Next: whole("nxt", 1<<62), Fast: rapid.Bool().Draw(t, "fast"),
		Load: rapid.Float64Range(0, 1e6).Draw(t, "u"), Rate: 1 + unit.Rate(whole("rate", 1<<40)), Reference: 1 + unit.Rate(whole("cur", 1<<40)),
		INT: rapid.Bool().Draw(t, "int"),
	}
	if !a.INT {
		a.Code = uint32(whole("power", 255))
		return a
	}
	a.Sample, a.Span = rapid.Float64Range(0, 1e6).Draw(t, "Umax"), unit.Nanosecond*unit.Time(whole("dt", 1e9))
	for range rapid.IntRange(0, 5).Draw(t, "hops") {
		a.Hops = append(a.Hops, AckHop{unit.Nanosecond * unit.Time(whole("at", 1<<24)), unit.Bytes(whole("sent", 1<<29)), unit.Bytes(whole("queue", 1<<25))})
	}
	return a
}

// What is written with enough digits reads back as the same; with fewer it is still
// the same to that precision, and every change of a field is seen.
func TestAckRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anyAck(t)
		got, _, err := ParseAck(a.Line(17))
		if err != nil || !reflect.DeepEqual(got, a) {
			t.Fatalf("%s: %+v, %v", a.Line(17), got, err)
		}
		const digits = 9
		cut, _, err := ParseAck(a.Line(digits))
		if err != nil || !a.equal(&cut, digits) {
			t.Fatalf("%s: %+v, %v", a.Line(digits), cut, err)
		}
		b := a
		switch rapid.IntRange(0, 5).Draw(t, "field") {
		case 0:
			b.Time += unit.Nanosecond
		case 1:
			b.Next++
		case 2:
			b.Fast = !b.Fast
		case 3:
			b.Rate++
		case 4:
			b.Load += 1e-7*b.Load + 1e-7
		case 5:
			b.Reference++
		}
		if a.equal(&b, digits) {
			t.Fatalf("%s is said to be %s", b.Line(digits), a.Line(digits))
		}
		if name, ours, theirs := firstDifference(a.fields(digits), b.fields(digits)); ours == theirs {
			t.Fatalf("%s: %s and %s", name, ours, theirs)
		}
	})
}

func FuzzAckReader(f *testing.F) {
	for _, name := range []string{"solo-star-hpcc", "solo-star-pint1"} {
		text := unpacked(f, filepath.Join("testdata", name+".acks.txt.gz"))
		f.Add(text[:min(len(text), 600)])
	}
	f.Add([]byte(lineINT + "\n\n" + linePINT + "\nACK"))
	f.Add([]byte("ACK 1 1 1 ack=1 nxt=1 fast=0 power=1 U=1e+300 rate=1 cur=1"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := NewAckReader(bytes.NewReader(text), "f")
		for {
			a, digits, ok, err := r.Next()
			if err != nil && !strings.HasPrefix(err.Error(), "f:") {
				t.Fatalf("error without a line: %v", err)
			}
			if !ok {
				return
			}
			b, _, err := ParseAck(a.Line(max(digits, 1)))
			if err != nil || !a.equal(&b, max(digits, 1)) {
				t.Fatalf("%+v, written as %s, reads as %+v, %v", a, a.Line(max(digits, 1)), b, err)
			}
		}
	})
}

func unpacked(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(z); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// trace is what the transport tells of the line a.
func trace(a Ack) (unit.Time, *transport.AckTrace) {
	t := &transport.AckTrace{
		Flow: &transport.Flow{Src: netsim.NodeID(a.Node), SrcPort: a.Port}, Ack: &transport.Ack{Seq: a.Seq, Next: a.Next},
		Decision: transport.Decision{Fast: a.Fast, Reference: a.Reference, Rate: a.Rate, Load: a.Load, Sample: a.Sample, Span: a.Span, Code: a.Code},
	}
	for _, h := range a.Hops {
		t.Ack.Hops = append(t.Ack.Hops, netsim.PortSample{TS: h.Time, Sent: h.Sent, Queue: int32(h.Queue)})
	}
	return a.Time, t
}

// The first line that differs is found, whatever differs, and what comes after does
// not matter. Numbers agree if they do with as many digits as the file has.
func TestFirstDifferenceOfAcks(t *testing.T) {
	file := linePINT + "\n" + strings.Replace(linePINT, "ack=2000", "ack=3000", 1) + "\n"
	path := filepath.Join(t.TempDir(), "acks.txt")
	if err := os.WriteFile(path, []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	first, _, err := ParseAck(linePINT)
	if err != nil {
		t.Fatal(err)
	}
	first.Load += 1e-13 // beyond nine digits
	second := first
	second.Seq = 3000
	slower, later := second, second
	slower.Rate--
	later.Load += 1e-10
	tests := []struct {
		name string
		ours []Ack
		want string
	}{
		{"the same", []Ack{first, second}, "all 2 ACKs agree"},
		{"a rate", []Ack{first, slower, second}, "1 of 2 ACKs agree; line 2 is the first that differs: at 2005004256 ns, node 3, source port 10005, ack 3000: rate is 100000000000, ours 99999999999"},
		{"the last digit", []Ack{first, later}, "1 of 2 ACKs agree; line 2 is the first that differs: at 2005004256 ns, node 3, source port 10005, ack 3000: U is 0.0402222704, ours 0.0402222705"},
		{"fewer", []Ack{first}, `after 1 ACKs that agree our run ends, the file goes on in line 2 with "` + second.Line(9) + `"`},
		{"more", []Ack{first, second, second}, `after 2 ACKs that agree the file ends, our run goes on with "` + second.Line(9) + `"`},
	}
	for _, tt := range tests {
		c, err := compareAcks(path, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range tt.ours {
			c.take(trace(a))
		}
		r, err := c.finish()
		if err != nil {
			t.Fatal(err)
		}
		if got := r.String(); got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestAckFilesThatAreNoUse(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct{ path, want string }{
		{write("empty.txt", "\n\n"), "empty.txt: no acknowledgements"},
		{write("other.txt", "\n"+lineINT+"\n"), "other.txt:2: an acknowledgement of INT, but config.txt asks for PINT"},
		{write("bad.txt", linePINT+"\nACK 1\n"), "bad.txt:2: want ACK, time, node, source port, ack=, nxt=, fast= and what follows from them"},
		{write("plain.txt.gz", linePINT), "plain.txt.gz: gzip: invalid header"},
		{filepath.Join(dir, "none"), "none: no such file or directory"},
	} {
		_, err := compareAcks(tt.path, false)
		if err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
}

// Comparing an ACK that agrees costs no memory, so that a trace does not slow a run
// down.
func TestComparingAcksAllocatesNothing(t *testing.T) {
	a, _, err := ParseAck(linePINT)
	if err != nil {
		t.Fatal(err)
	}
	b := a
	b.Load += 1e-14
	if n := testing.AllocsPerRun(100, func() {
		if !a.equal(&b, 9) {
			t.Fatal("not equal")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
