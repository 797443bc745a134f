package validate

import (
	"bytes"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pintlab/experiments/protocols"
	"pintlab/internal/errtest"
	"pintlab/netsim"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/transport/ns3"
)

const (
	lineINT = "ACK 2003004195 0 10003 ack=1001 nxt=1001 fast=1 Umax=0.941609195 dt=87 u=0.998778846 " +
		"rate=95166151454 cur=100000000000 hop0=6512470/2048/0 hop1=6512480/4096/320"
	linePINT = "ACK 2005004256 3 10005 ack=2000 nxt=10000 fast=0 power=62 U=0.0402222704 rate=100000000000 " +
		"cur=99000000000"
)

// formats lists all formats.
var formats = map[string]*ackFormat{
	"INT": testFormat("hpcc", true), "PINT": testFormat("hpcc", false),
	"DCQCN": testFormat("dcqcn", false), "TIMELY": testFormat("timely", false), "DCTCP": testFormat("dctcp", false),
}

func testFormat(control string, hops bool) *ackFormat {
	kinds := protocols.Standard().Controls.Kinds
	i := slices.IndexFunc(kinds, func(k schema.Kind) bool { return k.Name == control })
	return &ackFormat{kinds[i].New().(ns3.Recorder).Recorded(hops)}
}

const at = 2005004256 * unit.Nanosecond

func TestParseLine(t *testing.T) {
	tests := []struct {
		format, line string
		want         ackLine
		digits       int
	}{
		{"INT", lineINT, ackLine{
			Kind: "ACK", Time: 2003004195 * unit.Nanosecond, Port: 10003,
			Values: []float64{1001, 1001, 1, 0.941609195, 87, 0.998778846, 95166151454, 1e11},
			Hops: []ackHop{{Time: 6512470 * unit.Nanosecond, Sent: 2048},
				{Time: 6512480 * unit.Nanosecond, Sent: 4096, Queue: 320}},
		}, 9},
		{"PINT", linePINT,
			ackLine{Kind: "ACK", Time: at, Node: 3, Port: 10005,
				Values: []float64{2000, 10000, 0, 62, 0.0402222704, 1e11, 99e9}}, 9},
		{"DCQCN",
			"NACK 2005004256 3 10005 ack=2000 nxt=2000 cnp=1 rate=50941192000 target=100000000000 " +
				"alpha=0.98117615999999985 stage=2",
			ackLine{Kind: "NACK", Time: at, Node: 3, Port: 10005,
				Values: []float64{2000, 2000, 1, 50941192000, 1e11, 0.98117615999999985, 2}}, 17},
		{"DCQCN", "DEC 2005004256 3 10005 rate=50941192000 target=100000000000 alpha=0.5",
			ackLine{Kind: "DEC", Time: at, Node: 3, Port: 10005, Values: []float64{50941192000, 1e11, 0.5}}, 1},
		{"DCQCN", "INC 2005004256 3 10005 rate=50941192000 target=100000000000 stage=0",
			ackLine{Kind: "INC", Time: at, Node: 3, Port: 10005, Values: []float64{50941192000, 1e11, 0}}, 0},
		{"TIMELY",
			"ACK 2005004256 3 10005 ack=2000 nxt=50000 cnp=0 rtt=4176 rate=100000000000 lastrtt=4200 rttdiff=-12.25 " +
				"stage=7 upd=50000",
			ackLine{Kind: "ACK", Time: at, Node: 3, Port: 10005,
				Values: []float64{2000, 50000, 0, 4176, 1e11, 4200, -12.25, 7, 50000}}, 4},
		{"DCTCP",
			"ACK 2005004256 3 10005 ack=2000 nxt=50000 cnp=1 rate=96875000000 alpha=0.9375 ecn=1 batch=52 cwr=1 " +
				"high=51000 upd=51000",
			ackLine{Kind: "ACK", Time: at, Node: 3, Port: 10005,
				Values: []float64{2000, 50000, 1, 96875000000, 0.9375, 1, 52, 1, 51000, 51000}}, 4},
	}
	for _, tt := range tests {
		f := formats[tt.format]
		got, digits, err := f.parse(tt.line)
		if err != nil || digits != tt.digits || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %+v, %d digits, %v", tt.line, got, digits, err)
		}
		if back := f.text(&got, max(digits, 1)); back != tt.line {
			t.Errorf("written again: %s, was %s", back, tt.line)
		}
	}
}

func TestParseLineRefuses(t *testing.T) {
	tests := []struct{ old, with, want string }{
		{lineINT, "", `want ACK, time, node, source port and the further columns of the format HPCC and INT`},
		{"ACK ", "NACK ", `want ACK, time, node, source port and the further columns of the format HPCC and INT`},
		{"2003004195", "-1", `time = "-1", want a whole number between 0 and 9223372036854775`},
		{" 0 10003", " 0 70000", `source port = "70000", want a whole number between 0 and 65535`},
		{"ack=1001", "seq=1001", `"seq=1001", want ack=, as with HPCC and INT`},
		{"ack=1001", "ack=9007199254740993",
			`ack = "9007199254740993", want a whole number between 0 and 9007199254740992`},
		{"fast=1", "fast=2", `fast = "2", want a whole number between 0 and 1`},
		{"Umax=0.941609195", "Umax=NaN", `Umax = "NaN", want a decimal number that is not negative`},
		{"Umax=0.941609195", "Umax=-1", `Umax = "-1", want a decimal number that is not negative`},
		{"u=0.998778846", "u=0x1p-2", `u = "0x1p-2", want a decimal number that is not negative`},
		{"Umax=0.941609195 dt=87", "power=3", `"power=3", want Umax=, as with HPCC and INT`},
		{"rate=95166151454", "rate=0", `rate = "0", want a whole number between 1 and 9007199254740992`},
		{" cur=100000000000 hop0=6512470/2048/0 hop1=6512480/4096/320", "", `cur is missing`},
		{"hop1", "hop3", `"hop3=6512480/4096/320", want hop1=, as with HPCC and INT`},
		{"hop0=6512470/2048/0", "hop0=6512470/2048", `hop0 = "6512470/2048", want time/bytes/queue`},
		{"6512470/2048/0", "6512470/x/0", `hop0, bytes = "x", want a whole number between 0 and 9223372036854775807`},
	}
	for _, tt := range tests {
		line := strings.Replace(lineINT, tt.old, tt.with, 1)
		if _, _, err := formats["INT"].parse(line); !errtest.Says(err, tt.want) {
			t.Errorf("%s: error %v, want %s", line, err, tt.want)
		}
	}
	for _, tt := range []struct{ format, line, want string }{
		{"PINT", linePINT + " hop0=1/2/3", `"hop0=1/2/3" is one value too many`},
		{"DCQCN", linePINT, `"fast=0", want cnp=, as with DCQCN`},
		{"DCQCN", "CUT 1 1 1",
			`want ACK or NACK or DEC or INC, time, node, source port and the further columns of the format DCQCN`},
		{"TIMELY", "ACK 1 3 5 ack=2 nxt=5 cnp=0 rtt=4 rate=1 lastrtt=4 rttdiff=-Inf stage=7 upd=5",
			`rttdiff = "-Inf", want a decimal number`},
	} {
		if _, _, err := formats[tt.format].parse(tt.line); !errtest.Says(err, tt.want) {
			t.Errorf("%s: error %v, want %s", tt.line, err, tt.want)
		}
	}
}

func anyLine(t *rapid.T) (*ackFormat, ackLine) {
	number := func(name string, least, most int64) int64 { return rapid.Int64Range(least, most).Draw(t, name) }
	f := formats[rapid.SampledFrom([]string{"INT", "PINT", "DCQCN", "TIMELY", "DCTCP"}).Draw(t, "format")]
	k := rapid.SampledFrom(f.Kinds).Draw(t, "kind")
	l := ackLine{
		Kind: k.Word, Time: unit.Nanosecond * unit.Time(number("time", 0, maxNanoseconds)),
		Node: int32(number("node", 0, 1<<31-1)), Port: uint16(number("port", 0, 65535)),
	}
	for _, c := range k.Columns {
		switch {
		case !c.Real:
			l.Values = append(l.Values, float64(number(c.Name, int64(c.Min), int64(c.Max))))
		case c.Min == 0:
			l.Values = append(l.Values, rapid.Float64Range(0, 1e6).Draw(t, c.Name))
		default:
			l.Values = append(l.Values, rapid.Float64Range(-1e6, 1e6).Draw(t, c.Name))
		}
	}
	if f.Hops {
		for range rapid.IntRange(0, 5).Draw(t, "hops") {
			l.Hops = append(l.Hops,
				ackHop{unit.Nanosecond * unit.Time(number("at", 0, 1<<24)), unit.Bytes(number("sent", 0, 1<<29)),
					unit.Bytes(number("queue", 0, 1<<25))})
		}
	}
	return f, l
}

// A line that is written with enough digits is read back unchanged. A line with fewer digits agrees to that
// precision. The comparison detects every change of a compared column.
func TestLineRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, a := anyLine(t)
		got, _, err := f.parse(f.text(&a, 17))
		if err != nil || !reflect.DeepEqual(got, a) {
			t.Fatalf("%s: %+v, %v", f.text(&a, 17), got, err)
		}
		const digits = 9
		cut, _, err := f.parse(f.text(&a, digits))
		if err != nil || !f.equal(&a, &cut, digits) {
			t.Fatalf("%s: %+v, %v", f.text(&a, digits), cut, err)
		}
		b := a
		b.Values = slices.Clone(a.Values)
		i := rapid.IntRange(-1, len(a.Values)-1).Draw(t, "column")
		compared, columns := true, f.kind(a.Kind).Columns
		switch {
		case i < 0:
			b.Time += unit.Nanosecond
		case columns[i].Real:
			b.Values[i] += 1e-7*math.Abs(b.Values[i]) + 1e-7
		default:
			b.Values[i]--
			compared = columns[i].Ours != nil
		}
		if f.equal(&a, &b, digits) == compared {
			t.Fatalf("%s is %s: %v", f.text(&b, digits), f.text(&a, digits), !compared)
		}
		if name, ours, theirs := f.firstDifference(&a, &b, digits); compared && ours == theirs {
			t.Fatalf("%s: %s and %s", name, ours, theirs)
		}
	})
}

func FuzzAckReader(f *testing.F) {
	for _, name := range []string{"solo-star-hpcc", "solo-star-pint1"} {
		text := unpacked(f, filepath.Join("testdata", name+".acks.txt.gz"))
		f.Add(text[:min(len(text), 600)])
	}
	f.Add(unpacked(f, filepath.Join("testdata", "incast-4", "dcqcn", "acks.txt.gz"))[:600])
	f.Add([]byte(lineINT + "\n\n" + linePINT + "\nACK"))
	f.Add([]byte("ACK 1 1 1 ack=1 nxt=1 fast=0 power=1 U=1e+300 rate=1 cur=1"))
	f.Add([]byte("ACK 1 3 5 ack=2 nxt=5 cnp=0 rtt=4 rate=1 lastrtt=4 rttdiff=-0 stage=7 upd=5"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, format := range formats {
			r := newAckReader(bytes.NewReader(text), format, "f")
			for {
				a, digits, ok, err := r.Next()
				if err != nil && !strings.HasPrefix(err.Error(), "f:") {
					t.Fatalf("error without a line: %v", err)
				}
				if !ok {
					break
				}
				again := format.text(&a, max(digits, 1))
				b, _, err := format.parse(again)
				if err != nil || !format.equal(&a, &b, max(digits, 1)) {
					t.Fatalf("%+v, written as %s, reads as %+v, %v", a, again, b, err)
				}
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

// step returns the transport's step for a line of HPCC with PINT.
func step(l ackLine) (unit.Time, *transport.Step) {
	v := l.Values
	return l.Time, &transport.Step{
		Flow: &transport.Flow{Src: netsim.NodeID(l.Node), SrcPort: l.Port}, Set: true,
		Ack: &transport.Ack{Seq: int64(v[0]), Next: int64(v[1])},
		Terms: []transport.Term{{Name: "fast", Value: v[2]}, {Name: "code", Value: v[3]}, {Name: "load", Value: v[4]},
			{Name: "rate", Value: v[5]}, {Name: "reference", Value: v[6]}},
	}
}

// The comparison finds the first line that differs, whichever column differs, and ignores later lines. Our number
// agrees if it is the same after rounding to the digits in the file. Steps without a line in the file are skipped.
func TestFirstDifferenceOfTraces(t *testing.T) {
	file := linePINT + "\n" + strings.Replace(linePINT, "ack=2000", "ack=3000", 1) + "\n"
	path := filepath.Join(t.TempDir(), "acks.txt")
	if err := os.WriteFile(path, []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	format := formats["PINT"]
	line := func(seq, load, rate float64) ackLine {
		l, _, err := format.parse(linePINT)
		if err != nil {
			t.Fatal(err)
		}
		l.Values[0] = seq
		l.Values[4] += load
		l.Values[5] += rate
		return l
	}
	first, second := line(2000, 1e-13, 0), line(3000, 1e-13, 0) // beyond nine digits
	const where = "line 2 is the first that differs: ACK at 2005004256 ns, node 3, source port 10005: "
	tests := []struct {
		name string
		ours []ackLine
		want string
	}{
		{"the same", []ackLine{first, second}, "all 2 lines of the trace agree"},
		{"a rate", []ackLine{first, line(3000, 0, -1), second},
			"1 of 2 lines of the trace agrees; " + where + "rate is 100000000000, in our run 99999999999"},
		{"the last digit", []ackLine{first, line(3000, 1e-10, 0)},
			"1 of 2 lines of the trace agrees; " + where + "U is 0.0402222704, in our run 0.0402222705"},
		{"fewer", []ackLine{first},
			`1 line agrees; then our run ends, and the trace continues in line 2 with "` + format.text(&second, 9) +
				`"`},
		{"more", []ackLine{first, second, second},
			`2 lines agree; then the trace ends, and our run continues with "` + format.text(&second, 9) + `"`},
	}
	for _, tt := range tests {
		c, err := compareAcks(path, format)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range tt.ours {
			c.take(step(l))
			now, quiet := step(l)
			quiet.Set = false
			c.take(now, quiet)
			quiet.Set, quiet.Ack = true, nil
			c.take(now, quiet)
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
		{write("other.txt", "\n"+lineINT+"\n"), `other.txt:2: "Umax=0.941609195", want power=, as with HPCC and PINT`},
		{write("bad.txt", linePINT+"\nACK 1\n"), "bad.txt:2: node is missing"},
		{write("plain.txt.gz", linePINT), "plain.txt.gz: gzip: invalid header"},
		{filepath.Join(dir, "none"), "none: no such file or directory"},
	} {
		_, err := compareAcks(tt.path, formats["PINT"])
		if err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
}

// Comparing a line that agrees allocates no memory, so that a trace does not slow down a run.
func TestComparingLinesAllocatesNothing(t *testing.T) {
	f := formats["PINT"]
	a, _, err := f.parse(linePINT)
	if err != nil {
		t.Fatal(err)
	}
	b := a
	b.Values = slices.Clone(a.Values)
	b.Values[4] += 1e-14
	now, s := step(b)
	var ours ackLine
	if n := testing.AllocsPerRun(100, func() {
		if !ours.take(f, now, s) || !f.equal(&ours, &a, 9) {
			t.Fatal("not equal")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
