package canvas

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// trueType is a TrueType font file (ISO 14496-22) by tables.
type trueType struct {
	tables map[string][]byte
	glyphs int
	long   bool // offsets in loca have 32 bits
}

var be = binary.BigEndian

// parseTrueType reads the directory of tables and checks the lengths that the
// methods rely on.
func parseTrueType(data []byte) (*trueType, error) {
	t := &trueType{tables: map[string][]byte{}}
	if len(data) < 12 {
		return nil, fmt.Errorf("font file of %d bytes", len(data))
	}
	n := int(be.Uint16(data[4:]))
	if len(data) < 12+16*n {
		return nil, fmt.Errorf("font file ends within its directory")
	}
	for i := range n {
		e := data[12+16*i:]
		from, size := uint64(be.Uint32(e[8:])), uint64(be.Uint32(e[12:]))
		if from+size > uint64(len(data)) {
			return nil, fmt.Errorf("font table %q lies beyond the end", e[:4])
		}
		t.tables[string(e[:4])] = data[from : from+size]
	}
	for name, least := range map[string]int{"head": 54, "hhea": 36, "maxp": 6, "hmtx": 4, "loca": 0, "glyf": 0} {
		if len(t.tables[name]) < least {
			return nil, fmt.Errorf("font table %q has %d bytes, want %d", name, len(t.tables[name]), least)
		}
	}
	t.glyphs = int(be.Uint16(t.tables["maxp"][4:]))
	t.long = be.Uint16(t.tables["head"][50:]) != 0
	if entry := t.entry(); len(t.tables["loca"]) < entry*(t.glyphs+1) {
		return nil, fmt.Errorf("font table \"loca\" is too short for %d glyphs", t.glyphs)
	}
	if m := t.metrics(); m < 1 || len(t.tables["hmtx"]) < 4*m {
		return nil, fmt.Errorf("font table \"hmtx\" is too short for %d widths", m)
	}
	return t, nil
}

func (t *trueType) entry() int {
	if t.long {
		return 4
	}
	return 2
}

// metrics is how many glyphs have a width of their own; the rest share the last.
func (t *trueType) metrics() int { return int(be.Uint16(t.tables["hhea"][34:])) }

func (t *trueType) unitsPerEm() uint16 { return be.Uint16(t.tables["head"][18:]) }

// bounds is the box around all glyphs: left, bottom, right, top.
func (t *trueType) bounds() [4]float64 {
	var out [4]float64
	for i := range out {
		out[i] = float64(int16(be.Uint16(t.tables["head"][36+2*i:])))
	}
	return out
}

func (t *trueType) extents() (ascent, descent float64) {
	h := t.tables["hhea"]
	return float64(int16(be.Uint16(h[4:]))), float64(int16(be.Uint16(h[6:])))
}

func (t *trueType) advance(g uint16) float64 {
	i := min(int(g), t.metrics()-1)
	return float64(be.Uint16(t.tables["hmtx"][4*i:]))
}

// outline is the glyph's entry in the table glyf.
func (t *trueType) outline(g int) ([]byte, error) {
	if g >= t.glyphs {
		return nil, fmt.Errorf("glyph %d of %d", g, t.glyphs)
	}
	loca := t.tables["loca"]
	var from, to int
	if t.long {
		from, to = int(be.Uint32(loca[4*g:])), int(be.Uint32(loca[4*g+4:]))
	} else {
		from, to = 2*int(be.Uint16(loca[2*g:])), 2*int(be.Uint16(loca[2*g+2:]))
	}
	if from > to || to > len(t.tables["glyf"]) {
		return nil, fmt.Errorf("glyph %d lies beyond the table", g)
	}
	return t.tables["glyf"][from:to], nil
}

// Flags of a part of a composite glyph.
const (
	wordArguments = 1 << 0
	oneScale      = 1 << 3
	moreParts     = 1 << 5
	twoScales     = 1 << 6
	fullMatrix    = 1 << 7
)

// parts lists the glyphs that a composite glyph is made of.
func parts(outline []byte) ([]int, error) {
	if len(outline) < 10 || int16(be.Uint16(outline)) >= 0 {
		return nil, nil
	}
	var out []int
	for i := 10; ; {
		if len(outline) < i+4 {
			return nil, fmt.Errorf("composite glyph is cut short")
		}
		flags := be.Uint16(outline[i:])
		out = append(out, int(be.Uint16(outline[i+2:])))
		i += 6
		if flags&wordArguments != 0 {
			i += 2
		}
		switch {
		case flags&oneScale != 0:
			i += 2
		case flags&twoScales != 0:
			i += 4
		case flags&fullMatrix != 0:
			i += 8
		}
		if flags&moreParts == 0 {
			return out, nil
		}
	}
}

// subset is a font file with the outlines of the given glyphs only. Glyphs keep
// their numbers.
func (t *trueType) subset(glyphs []uint16) ([]byte, error) {
	keep := make([]bool, t.glyphs)
	todo := []int{0}
	for _, g := range glyphs {
		todo = append(todo, int(g))
	}
	for len(todo) > 0 {
		g := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		outline, err := t.outline(g)
		if err != nil {
			return nil, err
		}
		if keep[g] {
			continue
		}
		keep[g] = true
		more, err := parts(outline)
		if err != nil {
			return nil, fmt.Errorf("glyph %d: %w", g, err)
		}
		todo = append(todo, more...)
	}

	var glyf []byte
	loca := make([]byte, 0, 4*(t.glyphs+1))
	hmtx := slices.Clone(t.tables["hmtx"])
	for g := range t.glyphs {
		loca = be.AppendUint32(loca, uint32(len(glyf)))
		if !keep[g] {
			if g < t.metrics()-1 {
				clear(hmtx[4*g : 4*g+4])
			}
			continue
		}
		outline, err := t.outline(g)
		if err != nil {
			return nil, err
		}
		glyf = append(glyf, outline...)
		for len(glyf)%4 != 0 {
			glyf = append(glyf, 0)
		}
	}
	loca = be.AppendUint32(loca, uint32(len(glyf)))
	head := slices.Clone(t.tables["head"])
	be.PutUint32(head[8:], 0)  // the checksum of the file, set by assemble
	be.PutUint16(head[50:], 1) // loca has 32 bits

	out := map[string][]byte{"head": head, "glyf": glyf, "loca": loca, "hmtx": hmtx}
	for _, name := range []string{"cvt ", "fpgm", "prep", "hhea", "maxp"} {
		if b, ok := t.tables[name]; ok {
			out[name] = b
		}
	}
	return assemble(out), nil
}

// assemble writes a font file of the tables, with its checksums.
func assemble(tables map[string][]byte) []byte {
	names := make([]string, 0, len(tables))
	for name := range tables {
		names = append(names, name)
	}
	slices.Sort(names)
	n := len(names)
	log := 0
	for 2<<log <= n {
		log++
	}
	out := be.AppendUint32(nil, 0x00010000)
	for _, v := range []int{n, 16 << log, log, 16*n - 16<<log} {
		out = be.AppendUint16(out, uint16(v))
	}
	at, headAt := 12+16*n, 0
	for _, name := range names {
		b := tables[name]
		if name == "head" {
			headAt = at
		}
		out = append(out, name...)
		out = be.AppendUint32(out, checksum(b))
		out = be.AppendUint32(out, uint32(at))
		out = be.AppendUint32(out, uint32(len(b)))
		at += (len(b) + 3) &^ 3
	}
	for _, name := range names {
		out = append(out, tables[name]...)
		for len(out)%4 != 0 {
			out = append(out, 0)
		}
	}
	be.PutUint32(out[headAt+8:], 0xb1b0afba-checksum(out))
	return out
}

// checksum is the sum of the 32-bit words of b, filled up with zeros.
func checksum(b []byte) uint32 {
	sum := uint32(0)
	for len(b) >= 4 {
		sum += be.Uint32(b)
		b = b[4:]
	}
	var last [4]byte
	copy(last[:], b)
	return sum + be.Uint32(last[:])
}
