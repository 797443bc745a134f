package exec

import (
	"errors"
	"fmt"
	"math/big"

	"pintlab/internal/number"
	"pintlab/p4/interp/ir"
	"pintlab/p4/interp/types"
)

// MaxCells bounds the words of all cells of one register or counter.
const MaxCells = 1 << 26

// MaxState bounds the words of the registers and counters of a program, and of a network of programs, unless
// Config.Words sets another bound. This many words take 2 GiB.
const MaxState = 1 << 28

// errIndex is wrapped by errors about an index outside a register or counter.
var errIndex = errors.New("index out of range")

// Register is an array of numbers that packets and the control plane read and write.
type Register struct {
	Type  types.Type
	Size  int
	width int
	words int
	cells []uint64
}

// NewRegister makes a register of size zeros.
func NewRegister(t types.Type, size int) (*Register, error) {
	if !types.IsScalar(t) || types.Strip(t) == types.Bool || types.Strip(t) == types.Error {
		return nil, fmt.Errorf("unsupported: a register of %s: expected bit<>, int<> or an enum", t)
	}
	w, _ := keyWidth(t)
	r := &Register{Type: t, Size: size, width: w, words: types.Slots(t)}
	if size < 0 || size > MaxCells/r.words {
		return nil, fmt.Errorf("a register of %d cells of %s is larger than the %d words supported", size, t, MaxCells)
	}
	r.cells = make([]uint64, size*r.words)
	return r, nil
}

// Read returns the value of a cell.
func (r *Register) Read(i int) (*big.Int, error) {
	if i < 0 || i >= r.Size {
		return nil, fmt.Errorf("%w: %d, the register has %s", errIndex, i, number.Count(r.Size, "cell"))
	}
	v := types.FromWords(r.cells[i*r.words : (i+1)*r.words])
	if b, ok := types.Strip(r.Type).(*types.Bit); ok {
		v = b.Wrap(v)
	}
	return v, nil
}

// Write sets a cell. The value must fit the type.
func (r *Register) Write(i int, v *big.Int) error {
	if i < 0 || i >= r.Size {
		return fmt.Errorf("%w: %d, the register has %s", errIndex, i, number.Count(r.Size, "cell"))
	}
	if v.BitLen() > r.width || v.Sign() < 0 && !fitsSigned(v, r.Type) {
		return fmt.Errorf("value %s does not fit %s", v, r.Type)
	}
	copy(r.cells[i*r.words:], types.Words(v, r.width))
	return nil
}

func fitsSigned(v *big.Int, t types.Type) bool {
	b, ok := types.Strip(t).(*types.Bit)
	return ok && b.Fits(v)
}

// Fill sets all cells.
func (r *Register) Fill(v *big.Int) error {
	for i := range r.Size {
		if err := r.Write(i, v); err != nil {
			return err
		}
	}
	return nil
}

// Uint64 returns the low 64 bits of cell i, for programs that poll many cells. i must
// be in range.
func (r *Register) Uint64(i int) uint64 { return r.cells[i*r.words] }

// CompileRead compiles a read of a cell into an lvalue. An index out of range reads zero.
func (r *Register) CompileRead(b *Builder, dst *ir.LValue, index ir.Expr) Do {
	at := b.Word(index)
	if r.words == 1 {
		store := b.Store(dst)
		return func(m *Machine) {
			v := uint64(0)
			if i := at(m); i < uint64(len(r.cells)) {
				v = r.cells[i]
			}
			store(m, v)
		}
	}
	store, t := b.StoreAny(dst), b.Temp(r.words)
	return func(m *Machine) {
		tmp := m.F[t : t+r.words]
		if i := at(m); i < uint64(r.Size) {
			copy(tmp, r.cells[int(i)*r.words:])
		} else {
			clear(tmp)
		}
		store(m, t)
	}
}

// CompileWrite compiles a write of a cell. An index out of range writes nothing.
func (r *Register) CompileWrite(b *Builder, index, value ir.Expr) Do {
	at := b.Word(index)
	if r.words == 1 {
		v := b.Word(value)
		return func(m *Machine) {
			i := at(m)
			x := v(m)
			if i < uint64(len(r.cells)) {
				r.cells[i] = x
			}
		}
	}
	src := b.Load(value)
	return func(m *Machine) {
		i := at(m)
		a := src(m)
		if i < uint64(r.Size) {
			copy(r.cells[int(i)*r.words:], m.F[a:a+r.words])
		}
	}
}

// Counter is an array of packet and byte counts.
type Counter struct {
	Size    int
	packets []uint64
	octets  []uint64
}

// NewCounter makes a counter of size zeros.
func NewCounter(size int) (*Counter, error) {
	if size < 0 || size > MaxCells {
		return nil, fmt.Errorf("a counter of %d cells is larger than the %d supported", size, MaxCells)
	}
	return &Counter{Size: size, packets: make([]uint64, size), octets: make([]uint64, size)}, nil
}

// Count adds a packet of the given bytes. An index out of range counts nothing.
func (c *Counter) Count(i uint64, octets int) {
	if i < uint64(len(c.packets)) {
		c.packets[i]++
		c.octets[i] += uint64(octets)
	}
}

// Read returns the counts of a cell.
func (c *Counter) Read(i int) (packets, octets uint64, err error) {
	if i < 0 || i >= c.Size {
		return 0, 0, fmt.Errorf("%w: %d, the counter has %s", errIndex, i, number.Count(c.Size, "cell"))
	}
	return c.packets[i], c.octets[i], nil
}

// Write sets the counts of a cell.
func (c *Counter) Write(i int, packets, octets uint64) error {
	if i < 0 || i >= c.Size {
		return fmt.Errorf("%w: %d, the counter has %s", errIndex, i, number.Count(c.Size, "cell"))
	}
	c.packets[i], c.octets[i] = packets, octets
	return nil
}

// Reset clears all cells.
func (c *Counter) Reset() {
	clear(c.packets)
	clear(c.octets)
}
