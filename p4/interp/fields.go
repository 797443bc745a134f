package interp

import (
	"fmt"
	"io"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"pintlab/p4/interp/exec"
	"pintlab/p4/interp/types"
)

// Field is a number that a program stores: a field of its headers or metadata, or a cell of a register.
type Field struct {
	Name     string
	Bits     int
	Signed   bool
	Register bool

	sw    *Switch
	cells *exec.Register
	at    int   // cell or word of the frame
	words int   // number of words of the frame
	valid []int // words that are not zero while the headers of the field are valid
	wrap  func(*big.Int) *big.Int
}

var indexed = regexp.MustCompile(`^(.*)\[(\d+)\]$`)

// Field finds a number by its name. The name of a header or metadata field is hdr.HEADER.FIELD, meta.FIELD or
// standard_metadata.FIELD, whatever the blocks of the program call these parameters. The name of a register cell is
// REGISTER[INDEX]. An element of a stack of headers is hdr.STACK[INDEX].
func (p *Pipeline) Field(name string) (*Field, error) {
	first, rest, _ := strings.Cut(name, ".")
	shared := p.dev.shared[first]
	if shared == nil {
		return p.cell(name)
	}
	f := &Field{Name: name, sw: p.dev}
	t := shared.Type
	f.at, _ = shared.Static()
	path := first
	for _, part := range strings.Split(rest, ".") {
		index := -1
		if m := indexed.FindStringSubmatch(part); m != nil {
			part = m[1]
			index, _ = strconv.Atoi(m[2])
		}
		s, ok := types.Strip(t).(*types.Struct)
		if !ok {
			return nil, fmt.Errorf("%s: %s has no fields", name, path)
		}
		k := s.FieldIndex(part)
		if k < 0 {
			var names []string
			for _, x := range s.Fields {
				names = append(names, x.Name)
			}
			return nil, fmt.Errorf("%s: %s has no field %q: expected %s", name, path, part, strings.Join(names, ", "))
		}
		f.step(&t, k)
		if path += "." + part; index < 0 {
			continue
		}
		if stack, ok := t.(*types.Stack); !ok || index >= stack.Size {
			return nil, fmt.Errorf("%s: %s has no element %d", name, path, index)
		}
		f.step(&t, index)
		path += fmt.Sprintf("[%d]", index)
	}
	return f, f.number(t)
}

// step moves from a value to its element k.
func (f *Field) step(t *types.Type, k int) {
	of := types.Strip(*t)
	if types.IsHeader(of) {
		f.valid = append(f.valid, f.at)
	}
	elem, offset := types.Element(of, k)
	*t, f.at = elem, f.at+offset
}

// number sets how the words of the field are read.
func (f *Field) number(t types.Type) error {
	f.words, f.wrap = types.Slots(t), func(v *big.Int) *big.Int { return v }
	switch t := types.Strip(t).(type) {
	case *types.Bit:
		f.Bits, f.Signed, f.wrap = t.Width, t.Signed, t.Wrap
	case *types.Basic, *types.Enum:
		f.Bits = 1
	default:
		return fmt.Errorf("%s has type %s: expected a number", f.Name, t)
	}
	return nil
}

// cell finds a cell of a register.
func (p *Pipeline) cell(name string) (*Field, error) {
	m := indexed.FindStringSubmatch(name)
	if m == nil {
		return nil, fmt.Errorf("%s: expected a field of hdr, meta or standard_metadata, or REGISTER[INDEX]", name)
	}
	r, err := p.Register(m[1])
	if err != nil {
		return nil, err
	}
	f := &Field{Name: name, Register: true, cells: r, sw: p.dev}
	if f.at, err = strconv.Atoi(m[2]); err == nil {
		_, err = r.Read(f.at)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, f.number(r.Type)
}

// Read returns the number in the state after the last pass of the last packet. It returns false for a field of a
// header that is not valid.
func (f *Field) Read() (*big.Int, bool) {
	if f.Register {
		v, err := f.cells.Read(f.at)
		return v, err == nil
	}
	frame := f.sw.m.F
	for _, at := range f.valid {
		if frame[at] == 0 {
			return nil, false
		}
	}
	return f.wrap(types.FromWords(frame[f.at : f.at+f.words])), true
}

// Write sets the cell of a register.
func (f *Field) Write(v *big.Int) error { return f.cells.Write(f.at, v) }

// Parse runs only the parser on a packet. The fields of the packet's headers can be read afterwards.
func (p *Pipeline) Parse(port int, packet []byte) error {
	if err := p.dev.begin(port, false); err != nil {
		return err
	}
	p.dev.parse(packet, 0, uint64(port), instanceNormal, nil, nil)
	return p.dev.err
}

// Trace makes RunPcap write a line for each packet: the number of the packet in the file, the ports where it arrives
// and leaves, and the named numbers as the packet left them.
func (p *Pipeline) Trace(w io.Writer, names []string) error {
	p.trace = nil
	var fields []*Field
	for _, name := range names {
		f, err := p.Field(name)
		if err != nil {
			return err
		}
		fields = append(fields, f)
	}
	if len(fields) == 0 {
		return nil
	}
	p.trace = func(in PcapPacket, outs []Output) error {
		line := fmt.Appendf(nil, "packet %d: port %d to ", in.Number, in.Port)
		for i, o := range outs {
			if i > 0 {
				line = append(line, ", "...)
			}
			line = strconv.AppendInt(line, int64(o.Port), 10)
		}
		if len(outs) == 0 {
			line = append(line, "none"...)
		}
		for _, f := range fields {
			line = append(line, "  "+f.Name+"="...)
			if v, ok := f.Read(); ok {
				line = v.Append(line, 10)
			} else {
				line = append(line, "–"...)
			}
		}
		_, err := w.Write(append(line, '\n'))
		return err
	}
	return nil
}
