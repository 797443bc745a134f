package validate

import (
	"fmt"
	"testing"

	"pintlab/internal/rng"
	"pintlab/p4/interp"
	"pintlab/p4/params"
	"pintlab/pint/coding"
	"pintlab/pint/global"
)

func TestProgramsEqualTheirTwins(t *testing.T) {
	for _, p := range Programs() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			prog, err := p.Load(interp.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range prog.Warnings {
				t.Errorf("warning: %v", w)
			}
			if _, err := p.Equal(t.Context(), 5000, !testing.Short(), 1); err != nil {
				t.Error(err)
			}
		})
	}
}

// A single wrong bit must not go unseen.
func TestDifferencesAreFound(t *testing.T) {
	for _, p := range Programs() {
		other := p
		other.twin = func() (twin, error) {
			inner, err := p.twin()
			return &corrupt{twin: inner}, err
		}
		if _, err := other.Equal(t.Context(), 500, false, 1); err == nil {
			t.Errorf("%s: a flipped bit in packet 400 is not found", p.Name)
		}
	}
}

// otherScheme is path tracing for paths of 12 hops, which the control plane asks for.
type otherScheme struct{ pathTwin }

func newOtherScheme() (twin, error) {
	code, err := coding.New(coding.Config{
		Schemes: []coding.Scheme{coding.Hybrid(12)}, Mode: coding.Hash, Bits: params.PathBits, Instances: 1, Family: global.CRC(params.Seed),
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
	_, err = pipe.Command(fmt.Sprintf("table_set_default PintEgress.path.scheme probabilities %d %d", uint64(tau), uint64(p)))
	return err
}

// The probabilities of path tracing are configuration: program and twin agree on those of longer
// paths, and do not with those of the program.
func TestSchemeIsConfiguration(t *testing.T) {
	p := find(t, "pint_path")
	p.twin = newOtherScheme
	if _, err := p.Equal(t.Context(), 2000, false, 1); err != nil {
		t.Error(err)
	}
	p.twin = func() (twin, error) {
		inner, err := newOtherScheme()
		return &struct{ twin }{inner}, err // configures nothing
	}
	if _, err := p.Equal(t.Context(), 2000, false, 1); err == nil {
		t.Error("the scheme changes nothing")
	}
}

// corrupt flips a bit of packet 400 and of those that follow.
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

func BenchmarkPrograms(b *testing.B) {
	for _, p := range Programs() {
		b.Run(p.Name, func(b *testing.B) {
			prog, err := p.Load(interp.Options{})
			if err != nil {
				b.Fatal(err)
			}
			pipe, err := prog.NewPipeline(interp.Config{})
			if err != nil {
				b.Fatal(err)
			}
			t, err := p.twin()
			if err != nil {
				b.Fatal(err)
			}
			r := rng.New(1, "bench")
			in := make([][]byte, 1000)
			for i := range in {
				in[i] = append([]byte(nil), t.draw(r)...)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := pipe.Process(0, in[i%len(in)]); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "packets/s")
		})
	}
}
