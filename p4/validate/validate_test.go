package validate

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"pintlab/int/csig"
	"pintlab/internal/hash"
	"pintlab/p4"
	"pintlab/p4/interp"
	"pintlab/pint/coding"
	"pintlab/pint/global"
)

// some returns all programs or, with -short, a third of them.
func some() []Program {
	list := Programs()
	if !testing.Short() {
		return list
	}
	var third []Program
	for i := 0; i < len(list); i += 3 {
		third = append(third, list[i])
	}
	return third
}

func TestProgramsEqualTheirTwins(t *testing.T) {
	for _, p := range some() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			prog, err := p.Load(interp.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range prog.Warnings {
				t.Errorf("warning: %v", w)
			}
			if _, err := p.equal(t.Context(), 5000, !testing.Short(), 1); err != nil {
				t.Error(err)
			}
		})
	}
}

// The commands of p4 entries fill the tables of a program without constant entries. The entries then equal the
// constants of the program with constant entries, and the switch sends the same packets.
func TestEntriesFillTheTables(t *testing.T) {
	for _, p := range some() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			prog, err := p.loadAlone()
			if err != nil {
				t.Fatal(err)
			}
			if !prog.HasConstEntries() {
				return // the program has no entries to add
			}
			loaded, err := p.load(append(p.defines(), loadedMacro))
			if err != nil {
				t.Fatal(err)
			}
			list, err := prog.EntryCommands(loaded)
			if err != nil || len(list) == 0 {
				t.Fatal(len(list), err)
			}
			pipe, err := loaded.NewPipeline(interp.Config{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range list {
				if _, err := pipe.Command(line); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
			}
			for _, want := range mustPipeline(t, prog).Tables() {
				got, err := pipe.Table(want.Def.Name)
				if err != nil || got.Len() != want.Len() || got.Def.Size != 0 && got.Len() > got.Def.Size {
					t.Errorf("table %s: %v; %d entries, want %d", want.Def.Name, err, got.Len(), want.Len())
				}
			}
			c := comparison{p: p, pipe: pipe}
			if c.twin, err = p.twin(); err != nil {
				t.Fatal(err)
			}
			if x, ok := c.twin.(configured); ok {
				if err := x.configure(pipe); err != nil {
					t.Fatal(err)
				}
			}
			r := hash.Stream(1, "entries")
			for range 500 {
				if err := c.next(t.Context(), c.twin.draw(r)); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func mustPipeline(t *testing.T, prog *interp.Program) *interp.Pipeline {
	t.Helper()
	pipe, err := prog.NewPipeline(interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return pipe
}

// Validation must detect a single wrong bit.
func TestDifferencesAreFound(t *testing.T) {
	for _, p := range some() {
		other := p
		other.twin = func() (twin, error) {
			inner, err := p.twin()
			return &corrupt{twin: inner}, err
		}
		if _, err := other.equal(t.Context(), 500, false, 1); err == nil {
			t.Errorf("%s: a flipped bit in packet 400 is not found", p.Name)
		}
	}
}

// otherScheme is path tracing for paths of 12 hops. The control plane configures this scheme.
type otherScheme struct{ pathTwin }

func newOtherScheme() (twin, error) {
	code, err := coding.New(coding.Config{
		Schemes: []coding.Scheme{coding.Hybrid(12)}, Mode: coding.Hash, Bits: p4.PathBits, Instances: 1,
		Family: global.CRC(p4.Seed),
	})
	return &otherScheme{pathTwin{code: code}}, err
}

func (*otherScheme) configure(pipe *interp.Pipeline) error {
	s := coding.Hybrid(12)
	tau, err := global.NewThreshold(s.Tau)
	if err != nil {
		return err
	}
	p, err := global.NewThreshold(s.XOR[0])
	if err != nil {
		return err
	}
	_, err = pipe.Command(fmt.Sprintf("table_set_default PintEgress.path.scheme probabilities %d %d",
		uint64(tau), uint64(p)))
	return err
}

// The probabilities of path tracing are configuration. Program and twin agree if both have the probabilities for
// longer paths, and disagree if the program keeps its default.
func TestSchemeIsConfiguration(t *testing.T) {
	p := find(t, "pint_path")
	p.twin = newOtherScheme
	if _, err := p.equal(t.Context(), 2000, false, 1); err != nil {
		t.Error(err)
	}
	p.twin = func() (twin, error) {
		inner, err := newOtherScheme()
		return &struct{ twin }{inner}, err // configures nothing
	}
	if _, err := p.equal(t.Context(), 2000, false, 1); err == nil {
		t.Error("the scheme changes nothing")
	}
}

// corrupt flips a bit of packet 400 and of all packets after it.
type corrupt struct {
	twin
	n int
}

func (c *corrupt) expect() []byte {
	b := c.twin.expect()
	if c.n++; c.n >= 400 && b != nil {
		b[len(b)-1] ^= 1
	}
	return b
}

// BenchmarkPrograms draws 1000 packets at random and runs those that a switch in its initial state forwards.
func BenchmarkPrograms(b *testing.B) {
	for _, p := range Programs() {
		b.Run(p.Name, func(b *testing.B) {
			pipe, in := forwarded(b, p)
			b.ReportAllocs()
			sent := 0
			for i := 0; b.Loop(); i++ {
				outs, err := pipe.Process(0, in[i%len(in)])
				if err != nil {
					b.Fatal(err)
				}
				if len(outs) > 0 {
					sent++
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "packets/s")
			b.ReportMetric(float64(sent)/float64(b.N), "forwarded")
		})
	}
}

// forwarded returns a configured switch that runs the program, and packets that it forwards.
func forwarded(t testing.TB, p Program) (*interp.Pipeline, [][]byte) {
	t.Helper()
	prog, err := p.loadAlone()
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := prog.NewPipeline(interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	tw, err := p.twin()
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := tw.(configured); ok {
		if err := c.configure(pipe); err != nil {
			t.Fatal(err)
		}
	}
	r := hash.Stream(1, "bench")
	var in [][]byte
	for range 1000 {
		b := bytes.Clone(tw.draw(r))
		outs, err := pipe.Process(0, b)
		if err != nil {
			t.Fatal(err)
		}
		if len(outs) > 0 {
			in = append(in, b)
		}
	}
	return pipe, in
}

// Programs forward almost all of the packets drawn for the benchmark. pint_loop also drops the packets in which it
// detects loops.
func TestBenchmarkedPacketsAreForwarded(t *testing.T) {
	for _, p := range Programs() {
		least := 900
		if p.Name == "pint_loop" {
			least = 300
		}
		if _, in := forwarded(t, p); len(in) < least {
			t.Errorf("%s forwards %d of 1000 packets, want at least %d", p.Name, len(in), least)
		}
	}
}

// The control plane configures whether a port updates tags behind Ethernet, leaves them unchanged, or removes them.
// A link that cannot send has no free capacity.
func TestPortsOfCSIG(t *testing.T) {
	p, err := Find("csig")
	if err != nil {
		t.Fatal(err)
	}
	prog, err := p.loadAlone()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*csig.Format{&csig.Compact, &csig.Wide} {
		tag := func(value, locator uint32) []byte {
			return binary.BigEndian.AppendUint64(nil,
				f.Encode(csig.Tag{Signal: csig.ABWShare, Value: value, Locator: locator}))[8-f.Size:]
		}
		frame := func(tag []byte) []byte { // with the EtherType of the next header
			return slices.Concat([]byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2}, tag, []byte{8, 0, 0x45})
		}
		for action, want := range map[string][]byte{
			"update 77 0 0": frame(tag(0, 77)), "update 77 0 102400": frame(tag(5, 9)), "pass": frame(tag(5, 9)),
			"strip": frame(nil),
		} {
			pipe := mustPipeline(t, prog)
			if _, err := pipe.Command("table_set_default ports " + action); err != nil {
				t.Fatal(err)
			}
			out, err := pipe.Process(0, frame(tag(5, 9)))
			if err != nil || len(out) != 1 || !bytes.Equal(out[0].Data, want) {
				t.Errorf("%s, %d B: %x, %v; want %x", action, f.Size, out, err, want)
			}
		}
	}
}
