package validate

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"pintlab/internal/hash"
	"pintlab/p4/interp"
)

// Equality is the result of running packets through a program and the program's twin.
type Equality struct {
	Program    string `json:"program"`
	Packets    int    `json:"packets"`    // packets drawn at random and compared; all are equal
	Exhaustive int    `json:"exhaustive"` // packets with all values of a small domain
	Dropped    int    `json:"dropped"`    // packets that neither sent
}

// exhaustive is a twin with a small domain. Packets 0 to domain()-1 contain all values of the domain.
type exhaustive interface {
	domain() int
	value(i int) []byte
}

// configured is a twin with a control plane. The control plane configures the program before the first packet. If
// configure is not called, program and twin both have the program's defaults.
type configured interface {
	configure(*interp.Pipeline) error
}

// operated is a twin whose control plane may act before every packet.
type operated interface{ operate() error }

// copying is a twin of a program that clones packets. copies returns the clones. The program sends the clones before
// the packet.
type copying interface{ copies() [][]byte }

// difference is the first packet in which program and twin differ.
type difference struct {
	Program string
	Packet  int // from 0
	In      []byte
	Got     []byte // sent by the program; nil for nothing
	Want    []byte // sent by the twin
}

func (d *difference) Error() string {
	return fmt.Sprintf("%s: packet %d, %x: the program sends %s, its twin %s",
		d.Program, d.Packet, d.In, show(d.Got), show(d.Want))
}

func show(b []byte) string {
	if b == nil {
		return "nothing"
	}
	return fmt.Sprintf("%x", b)
}

// equal runs n packets, drawn from the seed, through the program and through its twin. If all is set, it first runs
// one packet for each value of the program's small domain. The error is a *difference if program and twin differ.
func (p Program) equal(ctx context.Context, n int, all bool, seed uint64) (Equality, error) {
	e := Equality{Program: p.Name}
	prog, err := p.loadAlone()
	if err != nil {
		return e, err
	}
	c := comparison{p: p}
	if c.pipe, err = prog.NewPipeline(interp.Config{Seed: seed}); err != nil {
		return e, err
	}
	if c.twin, err = p.twin(); err != nil {
		return e, err
	}
	if t, ok := c.twin.(configured); ok {
		if err := t.configure(c.pipe); err != nil {
			return e, fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	if x, ok := c.twin.(exhaustive); ok && all {
		for ; e.Exhaustive < x.domain(); e.Exhaustive++ {
			if err := c.next(ctx, x.value(e.Exhaustive)); err != nil {
				return e, err
			}
		}
	}
	r := hash.Stream(seed, "p4/validate/"+p.Name)
	for ; e.Packets < n; e.Packets++ {
		if err := c.next(ctx, c.twin.draw(r)); err != nil {
			return e, err
		}
	}
	e.Dropped = c.dropped
	if s, ok := c.twin.(stateful); ok {
		return e, p.sameState(c.pipe, s)
	}
	return e, nil
}

// comparison is a program and its twin, with the state of their comparison.
type comparison struct {
	p       Program
	pipe    *interp.Pipeline
	twin    twin
	n       int
	dropped int
	outs    []interp.Output // output of the last packet
}

// next runs a packet through program and twin.
func (c *comparison) next(ctx context.Context, in []byte) error {
	if c.n%4096 == 0 && ctx.Err() != nil {
		return ctx.Err()
	}
	if t, ok := c.twin.(operated); ok {
		if err := t.operate(); err != nil {
			return fmt.Errorf("%s: before packet %d: %w", c.p.Name, c.n, err)
		}
	}
	if t, ok := c.twin.(clocked); ok {
		c.pipe.SetTime(t.time())
	}
	outs, err := c.pipe.Process(0, in)
	if err != nil {
		return fmt.Errorf("%s: packet %d, %x: %w", c.p.Name, c.n, in, err)
	}
	c.outs = outs
	want := c.twin.expect()
	if t, ok := c.twin.(copying); ok {
		for _, w := range t.copies() {
			if len(outs) == 0 || !bytes.Equal(outs[0].Data, w) {
				return &difference{c.p.Name, c.n, bytes.Clone(in), data(outs), w}
			}
			outs = outs[1:]
		}
	}
	got := data(outs)
	if len(outs) > 1 || (got == nil) != (want == nil) || !bytes.Equal(got, want) {
		return &difference{c.p.Name, c.n, bytes.Clone(in), bytes.Clone(got), bytes.Clone(want)}
	}
	if got == nil {
		c.dropped++
	}
	c.n++
	return nil
}

// data returns the first of the output packets, or nil.
func data(outs []interp.Output) []byte {
	if len(outs) == 0 {
		return nil
	}
	return outs[0].Data
}

// sameState compares the registers of program and twin.
func (p Program) sameState(pipe *interp.Pipeline, t stateful) error {
	want := t.registers()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		r, err := pipe.Register(name)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		if r.Size != len(want[name]) {
			return fmt.Errorf("%s: register %s has %d cells, its twin %d", p.Name, name, r.Size, len(want[name]))
		}
		for i, w := range want[name] {
			if got := r.Uint64(i); got != w {
				return fmt.Errorf("%s: cell %d of register %s is %d, its twin's %d", p.Name, i, name, got, w)
			}
		}
	}
	return nil
}
