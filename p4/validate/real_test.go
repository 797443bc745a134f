package validate

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"

	"pintlab/p4/interp"
	"pintlab/p4/stf"
)

// The compiler accepts every program without an error or a warning, both with and without OBSERVED. The switch sends
// the same packets as the interpreter: alone, in a chain of five switches that run PINT, and in a chain of three
// that run INT. No other test needs these tools. The test is skipped without them, because most users do not have
// them.
func TestRealSwitch(t *testing.T) {
	b, err := findBMv2()
	if err != nil {
		t.Skipf("needs p4c-bm2-ss, simple_switch and simple_switch_CLI: %v", err)
	}
	if testing.Short() {
		t.Skip("needs minutes, for it compiles all programs and starts a switch for each: not with -short")
	}
	b.Dir = t.TempDir()
	t.Run("chain", func(t *testing.T) {
		t.Parallel()
		r, err := b.chain(t.Context(), chainSwitches(), 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", r)
	})
	t.Run("INT", func(t *testing.T) {
		t.Parallel()
		intRow(t, b)
	})
	for _, p := range Programs() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for _, defines := range [][]string{p.Defines, p.defines()} {
				if _, err := b.compile(t.Context(), p, defines); err != nil {
					t.Error(defines, err)
				}
			}
			if p.Racing {
				return
			}
			if _, err := b.equal(t.Context(), p, 1); err != nil {
				t.Error(err)
			}
		})
	}
}

// The commands generated from a packet test have the same effect in simple_switch and in the interpreter.
func TestPacketTestInBMv2(t *testing.T) {
	b, err := findBMv2()
	if err != nil {
		t.Skipf("needs p4c-bm2-ss, simple_switch and simple_switch_CLI: %v", err)
	}
	if testing.Short() {
		t.Skip("needs a compiled program and a switch: not with -short")
	}
	b.Dir = t.TempDir()
	test, err := stf.Read("../stf/testdata/example.stf")
	if err != nil {
		t.Fatal(err)
	}
	file := "../stf/testdata/example.p4"
	c := &compiled{program: "example", json: filepath.Join(b.Dir, "prog.json")}
	if c.prog, err = interp.Load(file, interp.Options{}); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.CommandContext(t.Context(), b.Compiler, "-o", c.json, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	pipe, err := c.prog.NewPipeline(interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := &bmv2Sample{out: map[int][]sentPacket{0: nil, 1: nil, 2: nil}}
	if s.commands, err = test.Commands(pipe); err != nil {
		t.Fatal(err)
	}
	for _, line := range s.commands {
		if _, err := pipe.Command(line); err != nil {
			t.Fatal(err)
		}
	}
	// If x[0] is valid, x[1] is also valid. The reason is that t1 reads a field of x[1], which would otherwise be
	// undefined. simple_switch would then read the field of an earlier packet.
	for _, header := range []string{"\x00\x00", "\x00\x01\x00\x15\x00\x00\x00\x15\x00\x01",
		"\x00\x01\x00\x14\x00\x00\x00\x1f\x00\x01", "\x00\x01\x00\x15\x00\x00\x00\x25\x00\x01"} {
		for _, dst := range "\x0a\x0b\x0c" {
			for _, src := range []string{"\x00\x00\x00\x00\x00\x07", "\xff\x00\x00\x00\x00\x08",
				"\x01\x02\x03\x04\x05\x06", "\x01\x02\x03\x04\x05\x07"} {
				packet := []byte("\x00\x00\x00\x00\x00" + string(dst) + src + header)
				outs, err := pipe.Process(0, packet)
				if err != nil {
					t.Fatal(err)
				}
				s.in = append(s.in, packet)
				for _, o := range outs {
					s.out[o.Port] = append(s.out[o.Port], sentPacket{packet, bytes.Clone(o.Data)})
				}
			}
		}
	}
	if len(s.out[1]) == 0 || len(s.out[2]) == len(s.out[1]) {
		t.Fatal("some of the entries have no effect")
	}
	if _, err := b.same(t.Context(), c, s, bytes.Equal); err != nil {
		t.Error(err)
	}
}
