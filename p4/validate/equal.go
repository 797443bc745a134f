package validate

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"pintlab/internal/rng"
	"pintlab/p4/interp"
)

// Equality is what came of running packets through a program and its twin.
type Equality struct {
	Program string `json:"program"`
	Packets int    `json:"packets"` // compared, all of them equal
	Dropped int    `json:"dropped"` // of these, sent by neither
}

// Difference is the first packet on which program and twin disagree.
type Difference struct {
	Program string
	Packet  int // from 0
	In      []byte
	Got     []byte // by the program; nil if it sent nothing
	Want    []byte // by the twin
}

func (d *Difference) Error() string {
	return fmt.Sprintf("%s: packet %d, %x: the program sends %s, its twin %s", d.Program, d.Packet, d.In, show(d.Got), show(d.Want))
}

func show(b []byte) string {
	if b == nil {
		return "nothing"
	}
	return fmt.Sprintf("%x", b)
}

// Equal runs n packets, drawn from the seed, through the program and through its twin.
// The error is a *Difference if they disagree.
func (p Program) Equal(ctx context.Context, n int, seed uint64) (Equality, error) {
	e := Equality{Program: p.Name}
	prog, err := p.Load()
	if err != nil {
		return e, err
	}
	pipe, err := prog.NewPipeline(interp.Config{Seed: seed})
	if err != nil {
		return e, err
	}
	t, err := p.twin()
	if err != nil {
		return e, err
	}
	r := rng.New(seed, "p4/validate/"+p.Name)
	for e.Packets < n {
		if e.Packets%4096 == 0 && ctx.Err() != nil {
			return e, ctx.Err()
		}
		in := t.draw(r)
		if c, ok := t.(clocked); ok {
			pipe.SetTime(c.time())
		}
		outs, err := pipe.Process(0, in)
		if err != nil {
			return e, fmt.Errorf("%s: packet %d, %x: %w", p.Name, e.Packets, in, err)
		}
		want := t.expect()
		var got []byte
		if len(outs) > 0 {
			got = outs[0].Data
		}
		if len(outs) > 1 || (got == nil) != (want == nil) || !bytes.Equal(got, want) {
			return e, &Difference{p.Name, e.Packets, bytes.Clone(in), bytes.Clone(got), bytes.Clone(want)}
		}
		if got == nil {
			e.Dropped++
		}
		e.Packets++
	}
	if s, ok := t.(stateful); ok {
		return e, p.sameState(pipe, s)
	}
	return e, nil
}

// sameState compares registers.
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
