package types

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// maxBits bounds the size of int values. "1 << (1 << 40)" is then an error, not an attempt to compute the number.
const maxBits = 1 << 17

var one = big.NewInt(1)

// Literal reads an integer literal: digits with an optional base (0x 0b 0o 0d), "_"
// between digits, and an optional width and sign ("8w255", "16s0x7F"). For a literal
// without width t is Int. tooLarge reports that the value does not fit the width.
func Literal(text string) (v *big.Int, t Type, tooLarge bool, err error) {
	digits := text
	t = Int
	if i := strings.IndexAny(text, "ws"); i > 0 && strings.Trim(text[:i], "0123456789") == "" {
		var w int
		if _, err := fmt.Sscanf(text[:i], "%d", &w); err != nil || w > MaxWidth {
			return nil, nil, false, fmt.Errorf("width of %s is more than %d bits", text, MaxWidth)
		}
		if w == 0 && text[i] == 's' {
			return nil, nil, false, fmt.Errorf("%s has no bits: int<0> does not exist", text)
		}
		t = &Bit{Width: w, Signed: text[i] == 's'}
		digits = text[i+1:]
	}
	base := 10
	if len(digits) > 1 && digits[0] == '0' {
		switch digits[1] {
		case 'x', 'X':
			base = 16
		case 'b', 'B':
			base = 2
		case 'o', 'O':
			base = 8
		case 'd', 'D':
			base = 10
		default:
			digits = "0d" + digits
		}
		digits = digits[2:]
	}
	digits = strings.ReplaceAll(digits, "_", "")
	if len(digits) > maxBits/4 {
		return nil, nil, false, errors.New("number has too many digits")
	}
	v, ok := new(big.Int).SetString(digits, base)
	if !ok || digits == "" || digits[0] == '-' || digits[0] == '+' {
		return nil, nil, false, fmt.Errorf("%s is not a number in base %d", text, base)
	}
	if b, ok := t.(*Bit); ok {
		w := b.Wrap(v)
		return w, t, w.Cmp(v) != 0, nil
	}
	return v, t, false, nil
}

// Wrap reduces a number to the range of bit<W> or int<W>: its low W bits, read as
// two's complement if signed.
func (t *Bit) Wrap(v *big.Int) *big.Int {
	mod := new(big.Int).Lsh(one, uint(t.Width))
	r := new(big.Int).Mod(v, mod) // Mod is never negative
	if t.Signed && t.Width > 0 && r.Bit(t.Width-1) == 1 {
		r.Sub(r, mod)
	}
	return r
}

// Fits reports whether the number is in the range of the type.
func (t *Bit) Fits(v *big.Int) bool { return t.Wrap(v).Cmp(v) == 0 }

// Range returns the smallest and the largest value of the type.
func (t *Bit) Range() (lo, hi *big.Int) {
	if !t.Signed {
		hi = new(big.Int).Lsh(one, uint(t.Width))
		return new(big.Int), hi.Sub(hi, one)
	}
	half := new(big.Int).Lsh(one, uint(max(t.Width-1, 0)))
	return new(big.Int).Neg(half), half.Sub(half, one)
}

// BoolValue returns 1 for true and 0 for false.
func BoolValue(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return new(big.Int)
}

// fit wraps a result to the type of the operation.
func fit(v *big.Int, t Type) (*big.Int, error) {
	if b, ok := Strip(t).(*Bit); ok {
		return b.Wrap(v), nil
	}
	if v.BitLen() > maxBits {
		return nil, fmt.Errorf("the number has more than %d bits", maxBits)
	}
	return v, nil
}

// UnaryOp computes op x in type t.
func UnaryOp(op string, x *big.Int, t Type) (*big.Int, error) {
	switch op {
	case "!":
		return BoolValue(x.Sign() == 0), nil
	case "-":
		return fit(new(big.Int).Neg(x), t)
	case "~":
		return fit(new(big.Int).Not(x), t)
	case "+":
		return x, nil
	}
	return nil, fmt.Errorf("unknown operator %s", op)
}

// Compare computes a comparison.
func Compare(op string, x, y *big.Int) (bool, error) {
	c := x.Cmp(y)
	switch op {
	case "==":
		return c == 0, nil
	case "!=":
		return c != 0, nil
	case "<":
		return c < 0, nil
	case "<=":
		return c <= 0, nil
	case ">":
		return c > 0, nil
	case ">=":
		return c >= 0, nil
	}
	return false, fmt.Errorf("unknown comparison %s", op)
}

// BinaryOp computes x op y. Both are of type t, except that the right side of a shift may have any type. Division by
// zero, division with a negative operand and a shift by a negative number are errors.
func BinaryOp(op string, x, y *big.Int, t Type) (*big.Int, error) {
	bit, _ := Strip(t).(*Bit)
	r := new(big.Int)
	switch op {
	case "+":
		r.Add(x, y)
	case "-":
		r.Sub(x, y)
	case "*":
		r.Mul(x, y)
	case "/", "%":
		if y.Sign() == 0 {
			return nil, errors.New("division by zero")
		}
		if x.Sign() < 0 || y.Sign() < 0 {
			return nil, fmt.Errorf("%s of a negative number", map[string]string{"/": "division", "%": "remainder"}[op])
		}
		if op == "/" {
			r.Quo(x, y)
		} else {
			r.Rem(x, y)
		}
	case "&":
		r.And(x, y)
	case "|":
		r.Or(x, y)
	case "^":
		r.Xor(x, y)
	case "|+|", "|-|":
		if bit == nil {
			return nil, fmt.Errorf("%s needs a type with a width", op)
		}
		if op == "|+|" {
			r.Add(x, y)
		} else {
			r.Sub(x, y)
		}
		lo, hi := bit.Range()
		if r.Cmp(lo) < 0 {
			return lo, nil
		}
		if r.Cmp(hi) > 0 {
			return hi, nil
		}
		return r, nil
	case "<<", ">>":
		return shift(op, x, y, t)
	default:
		return nil, fmt.Errorf("unknown operator %s", op)
	}
	return fit(r, t)
}

func shift(op string, x, y *big.Int, t Type) (*big.Int, error) {
	if y.Sign() < 0 {
		return nil, errors.New("shift by a negative number")
	}
	limit := int64(maxBits)
	bit, ok := Strip(t).(*Bit)
	if ok {
		limit = int64(bit.Width)
	}
	n := limit
	if y.IsInt64() && y.Int64() < limit {
		n = y.Int64()
	} else if !ok && op == "<<" && x.Sign() != 0 {
		return nil, fmt.Errorf("the number has more than %d bits", maxBits)
	}
	if op == "<<" {
		return fit(new(big.Int).Lsh(x, uint(n)), t)
	}
	return fit(new(big.Int).Rsh(x, uint(n)), t) // Rsh rounds down: an arithmetic shift
}

// SliceBits returns bits hi..lo of x as bit<hi-lo+1>.
func SliceBits(x *big.Int, hi, lo int) *big.Int {
	r := new(big.Int).Rsh(x, uint(lo))
	return Unsigned(hi - lo + 1).Wrap(r)
}

// Concat returns x ++ y, y being of type yt, in type t.
func Concat(x, y *big.Int, yt, t *Bit) *big.Int {
	r := new(big.Int).Lsh(x, uint(yt.Width))
	r.Or(r, Unsigned(yt.Width).Wrap(y))
	return t.Wrap(r)
}

// Convert converts a number to a scalar type.
func Convert(x *big.Int, to Type) *big.Int {
	switch t := Strip(to).(type) {
	case *Bit:
		return t.Wrap(x)
	case *Basic:
		if t == Bool {
			return BoolValue(x.Sign() != 0)
		}
	}
	return x
}

// Words splits a value of bit<width> or int<width> into 64-bit words, least significant
// first, two's complement, unused bits zero.
func Words(v *big.Int, width int) []uint64 {
	n := max(1, (width+63)/64)
	out := make([]uint64, n)
	u := v
	if v.Sign() < 0 || v.BitLen() > width {
		u = Unsigned(width).Wrap(v)
	}
	mask := new(big.Int).SetUint64(^uint64(0))
	for i := range out {
		w := new(big.Int).Rsh(u, uint(64*i))
		out[i] = w.And(w, mask).Uint64()
	}
	return out
}

// FromWords returns the inverse of Words for unsigned values.
func FromWords(words []uint64) *big.Int {
	v := new(big.Int)
	for i := len(words) - 1; i >= 0; i-- {
		v.Lsh(v, 64)
		v.Or(v, new(big.Int).SetUint64(words[i]))
	}
	return v
}
