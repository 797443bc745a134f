package stf

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pintlab/internal/errtest"
	"pintlab/p4/interp"
)

func example(t testing.TB) (*interp.Program, string) {
	t.Helper()
	prog, err := interp.Load("testdata/example.p4", interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/example.stf")
	if err != nil {
		t.Fatal(err)
	}
	return prog, string(text)
}

func pipeline(t testing.TB, prog *interp.Program) *interp.Pipeline {
	t.Helper()
	pipe, err := prog.NewPipeline(interp.Config{Seed: 1, Steps: 1 << 12})
	if err != nil {
		t.Fatal(err)
	}
	return pipe
}

// run parses and runs a test on the example.
func runText(t testing.TB, prog *interp.Program, text string) (Result, error) {
	test, err := parse("x.stf", strings.NewReader(text))
	if err != nil {
		return Result{}, err
	}
	return test.Run(context.Background(), pipeline(t, prog))
}

// The example passes, and each wrong expectation fails at its line.
func TestRun(t *testing.T) {
	prog, text := example(t)
	r, err := runText(t, prog, text)
	if err != nil || !r.Pass || r.In != 3 || r.Out != 3 || r.Unnamed != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"0005 $", "0006 $", "x.stf:13: expect: packet 1 of port 1, the result of the packet in line 12: digit 28 " +
			"is 5, want 6"},
		{"0005 $", "$", "x.stf:13: expect: packet 1 of port 1, the result of the packet in line 12: 14 bytes, want 12"},
		{"0015000000150001", "0015000000150001 *",
			"x.stf:18: expect: packet 2 of port 2, the result of the packet in line 17: 22 bytes, want 23"},
		{"no_packet", "expect 1", "x.stf:16: expect: want another packet from port 1, but it sent only 1"},
		{"no_packet", "packet 1 00000000000b 000000000001 0002\nno_packet", "x.stf:17: no_packet: 2 left"},
		{"expect 1 00000000000b 000000000001 0005 $\n", "",
			"x.stf:12: packet: port 1 sent one packet more than expected: 00000000000b0000000000010005"},
		{"packets == 1", "packets != 1", "x.stf:19: check_counter c(0): 1 packet, want != 1"},
		{"bytes == 28", "bytes < 28", "x.stf:20: check_counter c(1): 28 bytes, want < 28"},
		{"packets >= 1", "", "x.stf:21: check_counter dc(A): 1 packet, want == 0"},
		{"t1 10 hdr", "t1 10000 hdr", ""},
		{"0b1 hdr.x$1.h:0x1*", "0b0", "x.stf:18: expect: want another packet from port 2, but it sent only 1"},
		{"expect 2", "wait # expect 2", ""}, // no statement names port 2 any more
		{"add t1 20", "ADD t1 20", ""},
		{"add t1 20", "add t1 30 dst:0xa drop()\nremove all\nadd t1 20", ""},
	} {
		changed := strings.ReplaceAll(text, c.old, c.new)
		if changed == text {
			t.Fatalf("no %q in the example", c.old)
		}
		r, err := runText(t, prog, changed)
		got := strings.Join(r.Failures, "\n")
		if err != nil || r.Pass != (c.want == "") || !strings.Contains(got, c.want) || !r.Pass && c.want == "" {
			t.Errorf("%q for %q: %v, %s, want %q", c.new, c.old, err, got, c.want)
		}
	}
}

// Errors name the line and the accepted values.
func TestErrors(t *testing.T) {
	prog, _ := example(t)
	for text, want := range map[string]string{
		"drop x":           `x.stf:1: … "drop" … add, check_counter, … register_write, …`,
		"\npacket 511 00":  `x.stf:2: packet: port 511: want 0 to 510`,
		"packet":           `x.stf:1: packet: want PORT and bytes of two hexadecimal digits`,
		"packet 0":         `x.stf:1: packet 0: want PORT and bytes …`,
		"packet 0 012":     `x.stf:1: packet 0 012: want PORT and bytes …`,
		"packet 0 0*":      `x.stf:1: packet 0 0*: want …`,
		"expect 0 0x":      `x.stf:1: expect 0 0x: want PORT, hexadecimal digits, * for any, and $ …`,
		"expect 0 00 $ 00": `x.stf:1: expect 0 00 $ 00: want …`,
		"add t1 x to(port:2": `x.stf:1: add t1 x to(port:2: want TABLE [PRIORITY] ` +
			`KEY:VALUE... ACTION(PARAMETER:VALUE, ...) …`,
		"add t1 1 x:1 to(port 2)":        `x.stf:1: add t1 … want TABLE …`,
		"add t1 1 x:1 to(port:1,)":       `x.stf:1: add t1 … want TABLE …`,
		"add t1 1 x:1 to() 3":            `x.stf:1: add t1 … want TABLE …`,
		"setdefault t1":                  `x.stf:1: setdefault t1: want TABLE ACTION(PARAMETER:VALUE, ...)`,
		"check_counter c(0) octets == 1": `x.stf:1: check_counter c(0) octets … packets or bytes …`,
		"check_counter c(0) bytes = 1":   `x.stf:1: check_counter … ==, !=, <, <=, > or >=, N]`,
		"remove t1":                      `x.stf:1: remove t1: want all`,
		"wait 3":                         `x.stf:1: wait 3: want nothing …`,
		"add t9 1 x:1 to()":              `x.stf:1: add: … "t9": expected I.t1, …`,
		"add t1 1 y:1 to(port:1)":        `x.stf:1: add: table I.t1: … "y": want hdr.x[0].$valid$, …`,
		"add t1 1 dst:1 go()":            `x.stf:1: add: … "go": expected I.to, …`,
		"add t1 1 dst:1 to()":            `x.stf:1: add: action I.to: parameter port … want port`,
		"add t1 1 dst:1 drop(port:1)":    `x.stf:1: add: action I.drop: … "port": want none`,
		"add t1 dst:1 to(port:1)":        `x.stf:1: add: table I.t1: priority "": want a number from 0 to 10000 …`,
		"add t1 10001 dst:1 to(port:1)":  `x.stf:1: add: table I.t1: priority "10001": want a number from 0 to 10000 …`,
		"add t1 1 h:17 to(port:1)":       `x.stf:1: add: table I.t1: key h (ternary): "17": want 0x or 0b …`,
		"add t1 1 dst:1/3 to(port:1)":    `x.stf:1: add: … "1/3": want a value without a prefix length`,
		"add t2 src:9 drop()":            `x.stf:1: add: … key src (lpm): "9": want 0x or 0b …`,
		"add t2 src:0x1/49 drop()":       `x.stf:1: table_add: … "49": expected 0 to 48`,
		"add t4 type:1 drop()":           `x.stf:1: add: … key type (range): … cannot express ranges: …`,
		"register_write r 4 1":           `x.stf:1: register_write: …`,
		"meter_set_rates m 0 1:1":        `x.stf:1: meter_set_rates: … "m": …`,
		"check_counter c(9)":             `x.stf:1: check_counter: …`,
		"check_counter c(B)":             `x.stf:1: check_counter: index "B": …`,
		"no_packet":                      `x.stf:1: no_packet: want a packet statement before it`,

		"packet 0 " + strings.Repeat("0", 131074): `x.stf:1: packet: 131074 digits … 65536 bytes`,
		"add t1 99999999999999999999 dst:1 to(port:1)": `x.stf:1: add: table I.t1: ` +
			`priority "99999999999999999999": want a number from 0 to 10000 …`,
		"add t1 1 dst:0x1000000000000 to(port:1)": `x.stf:1: table_add: … does not fit 48 bits`,
		strings.Repeat("a", 1<<20+1):              `x.stf:1: line longer than 1048576 bytes`,
	} {
		if _, err := runText(t, prog, text); !errtest.Says(err, want) && (err == nil || err.Error() != want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
	if _, err := Read("testdata/none.stf"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// Statements become the same commands that p4c's runner sends to simple_switch_CLI.
func TestCommands(t *testing.T) {
	prog, text := example(t)
	test, err := parse("x.stf", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	got, err := test.Commands(pipeline(t, prog))
	want := []string{
		"table_add I.t1 I.to 0b1 0x10&&&0xf0 0x0a => 2 9980",
		"table_add I.t1 I.mc 0 0&&&0 0xb => 7 9990",
		"table_add I.t2 NoAction 0x0102/16 =>",
		"table_add I.t2 I.drop 0xff0000000000/8 =>",
		"table_add I.t2 I.drop 0x010203040506/48 =>",
		"table_add I.t3 I.drop 7 1 =>",
		"register_write r 1 3", "mc_mgrp_create 7", "mc_node_create 1 1 2", "mc_node_associate 7 0",
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(err, d)
	}
	late, err := parse("x.stf", strings.NewReader("packet 0 00\n\nsetdefault t1 to(port:1)\nexpect 1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := late.Commands(pipeline(t, prog)); !errtest.Says(err, "x.stf:3: setdefault: … line 1 …") {
		t.Error(err)
	}
}

type discard struct{}

func (discard) WritePacket(int, time.Time, []byte, int) error { return nil }

// The program passes a test that was recorded from its run. The commands of the test are the same in another
// spelling.
func TestRecorder(t *testing.T) {
	prog, text := example(t)
	test, err := parse("x.stf", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	pipe := pipeline(t, prog)
	commands, err := test.Commands(pipe)
	if err != nil {
		t.Fatal(err)
	}
	commands = append(commands, "table_set_default t1 mc => 7 # all", "table_dump t1", "",
		"table_add t4 NoAction 0->0xffff => 3")
	var out bytes.Buffer
	rec := NewRecorder(pipe, &out)
	for _, line := range commands {
		if _, err := rec.Command(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	w := rec.To(discard{})
	for _, s := range test.steps {
		if s.verb != "packet" {
			continue
		}
		data, err := hex.DecodeString(s.parts["data"])
		if err = errors.Join(err, rec.Arrive(s.port, data)); err != nil {
			t.Fatal(err)
		}
		outs, err := pipe.Process(s.port, data)
		for _, o := range outs {
			err = errors.Join(err, w.WritePacket(o.Port, time.Time{}, o.Data, o.Length))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"add I.t1 20 hdr.x$0.$valid$:0x1 hdr.x$1.h:0b********0001**** hdr.eth.dst:0xa I.to(port:0x2)",
		"add I.t2 hdr.eth.src:0xff0000000000/8 I.drop()", "add I.t3 low:0x7 sm.ingress_port:0x1 I.drop()",
		"add I.t4 9997 NoAction()", "setdefault I.t1 I.mc(g:0x7)", "# table_dump t1", "mc_node_create 1 1 2",
		"packet 1 00000000000b0000000000010002", "expect 1 00000000000b0000000000010005 $",
	} {
		if !slices.Contains(strings.Split(out.String(), "\n"), line) {
			t.Errorf("no line %q in\n%s", line, out.String())
		}
	}
	r, err := runText(t, prog, out.String())
	if err != nil || !r.Pass || r.In != 3 || r.Out != 3 || r.Unnamed != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	for line, want := range map[string]string{
		"table_clear t2": "table_clear: … table_add, table_set_default, " +
			"mirroring_add, …",
		"table_add t4 drop 1->2 => 3":                         "table_add: … range 0x1->0x2: …",
		"table_add t1 drop 0 0x100&&&0xf00 1 => 10001":        "table_add: priority 10001: …",
		"table_add t1 drop 0 0x100&&&0xf00 1 => 3 # no reply": "",
		"table_add t9 drop":                                   "table_add: … \"t9\": …",
	} {
		if _, err := rec.Command(line); want != "" && !errtest.Says(err, want) || want == "" && err != nil {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// FuzzTest gives any text to the reader and, if it is a test, to a program.
func FuzzTest(f *testing.F) {
	prog, text := example(f)
	for line := range strings.Lines(text) {
		f.Add(line)
	}
	f.Add(text)
	f.Add("setdefault I.t1 mc(g:7)\nremove all\nno_packet\nmeter_get_rates m 1\nwait")
	f.Fuzz(func(t *testing.T, text string) {
		test, err := parse("x", strings.NewReader(text))
		if err != nil || len(test.steps) > 100 {
			return
		}
		test.Commands(pipeline(t, prog)) //nolint:errcheck // any answer will do
		if _, err := test.Run(context.Background(), pipeline(t, prog)); errors.Is(err, interp.ErrInternal) {
			t.Fatal(err)
		}
	})
}
