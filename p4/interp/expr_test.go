package interp

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"pintlab/internal/hash"
	"pintlab/p4/interp/types"
)

// exprGen makes random expressions in two spellings. The first is over header fields, and the executor computes it.
// The second is over the literals that these fields will hold, and the checker folds it (package types). Both must
// have the same value.
type exprGen struct {
	r      *rand.Rand
	fields []genField
}

type genField struct {
	name  string
	t     *types.Bit
	value *big.Int
}

// widths are mostly at or next to powers of two, such as the size of a byte or of a word.
var widths = []int{1, 2, 7, 8, 9, 16, 31, 32, 33, 48, 63, 64, 65, 100, 127, 128, 129, 200}

func (g *exprGen) randomType() *types.Bit {
	return &types.Bit{Width: widths[g.r.IntN(len(widths))], Signed: g.r.IntN(3) == 0}
}

func (g *exprGen) value(t *types.Bit) *big.Int {
	v := new(big.Int)
	switch g.r.IntN(4) {
	case 0: // small
		v.SetUint64(g.r.Uint64N(4))
	case 1: // near the largest value
		_, hi := t.Range()
		v.Sub(hi, new(big.Int).SetUint64(g.r.Uint64N(3)))
	default:
		for range (t.Width + 63) / 64 {
			v.Lsh(v, 64)
			v.Or(v, new(big.Int).SetUint64(g.r.Uint64()))
		}
	}
	return t.Wrap(v)
}

// leaf adds a field and returns its two spellings. Instead it may return a literal, which has the same spelling in
// both.
func (g *exprGen) leaf(t *types.Bit) (string, string) {
	if g.r.IntN(4) == 0 {
		k := g.literal(t, g.value(t))
		return "(" + k + ")", "(" + k + ")"
	}
	f := genField{fmt.Sprintf("f%d", len(g.fields)), t, g.value(t)}
	g.fields = append(g.fields, f)
	return "hdr.h." + f.name, g.literal(t, f.value)
}

// literal spells a value with its type. It spells a negative number as a sum of valid literals.
func (g *exprGen) literal(t *types.Bit, v *big.Int) string {
	if t.Signed {
		u := types.Unsigned(t.Width).Wrap(v)
		return fmt.Sprintf("(int<%d>) %dw%s", t.Width, t.Width, u)
	}
	return fmt.Sprintf("%dw%s", t.Width, v)
}

func (g *exprGen) expr(t *types.Bit, depth int) (string, string) {
	if depth == 0 {
		return g.leaf(t)
	}
	two := func(op string, a, b *types.Bit) (string, string) {
		x, kx := g.expr(a, depth-1)
		y, ky := g.expr(b, depth-1)
		return "(" + x + " " + op + " " + y + ")", "(" + kx + " " + op + " " + ky + ")"
	}
	pick := func(ops ...string) string { return ops[g.r.IntN(len(ops))] }
	switch k := g.r.IntN(10); {
	case k < 4:
		return two(pick("+", "-", "*", "&", "|", "^", "|+|", "|-|"), t, t)
	case k == 4:
		x, kx := g.expr(t, depth-1)
		op := pick("-", "~")
		return op + x, op + "(" + kx + ")"
	case k == 5: // shift by a small amount
		x, kx := g.expr(t, depth-1)
		n := types.Unsigned([]int{3, 8, 70}[g.r.IntN(3)])
		top := uint64(min(t.Width+3, 8))
		if n.Width > 3 && g.r.IntN(2) == 0 {
			top = uint64(min(t.Width+3, 256))
		}
		f := genField{fmt.Sprintf("f%d", len(g.fields)), n, new(big.Int).SetUint64(g.r.Uint64N(top))}
		op := pick("<<", ">>")
		if g.r.IntN(2) == 0 {
			return fmt.Sprintf("(%s %s %s)", x, op, f.value), fmt.Sprintf("(%s %s %s)", kx, op, f.value)
		}
		g.fields = append(g.fields, f)
		return "(" + x + op + " hdr.h." + f.name + ")", "(" + kx + op + " " + g.literal(n, f.value) + ")"
	case k == 6 && !t.Signed: // slice of a wider expression
		w := t.Width + g.r.IntN(70)
		lo := g.r.IntN(w - t.Width + 1)
		x, kx := g.expr(types.Unsigned(w), depth-1)
		return fmt.Sprintf("(%s)[%d:%d]", x, lo+t.Width-1, lo), fmt.Sprintf("(%s)[%d:%d]", kx, lo+t.Width-1, lo)
	case k == 7 && t.Width > 1:
		w := 1 + g.r.IntN(t.Width-1)
		return two("++", &types.Bit{Width: t.Width - w, Signed: t.Signed}, types.Unsigned(w))
	case k == 8: // cast from another width
		from := &types.Bit{Width: widths[g.r.IntN(len(widths))], Signed: t.Signed}
		x, kx := g.expr(from, depth-1)
		return fmt.Sprintf("((%s) %s)", t, x), fmt.Sprintf("((%s) (%s))", t, kx)
	default: // choice by a comparison
		u := g.randomType()
		c, kc := two(pick("==", "!=", "<", "<=", ">", ">="), u, u)
		x, kx := g.expr(t, depth-1)
		y, ky := g.expr(t, depth-1)
		return "(" + c + " ? " + x + " : " + y + ")", "(" + kc + " ? (" + kx + ") : (" + ky + "))"
	}
}

// The executor computes at run time the same results as the checker computes at compile time from the same values.
// The two have independent implementations of the arithmetic.
func TestRunTimeEqualsCompileTime(t *testing.T) {
	r := hash.Stream(1, "p4/expressions")
	for round := range 50 {
		g := &exprGen{r: r}
		var assigns strings.Builder
		var results []*types.Bit
		for i := range 12 {
			rt := g.randomType()
			x, k := g.expr(rt, 1+r.IntN(4))
			// The result is wider than the type, to detect bits above the type.
			wide := types.Unsigned(rt.Width + 64)
			results = append(results, wide)
			cast := fmt.Sprintf("(%s) (bit<%d>)", wide, rt.Width)
			fmt.Fprintf(&assigns, "        hdr.r.x%d = %s %s;\n        hdr.k.x%d = %s (%s);\n", i, cast, x, i, cast, k)
		}
		program, packet := g.program(assigns.String(), results)
		p, err := loadText("t.p4", program, Options{})
		if err != nil {
			t.Fatalf("round %d: %v\n%s", round, err, program)
		}
		pipe, err := p.NewPipeline(Config{})
		if err != nil {
			t.Fatal(err)
		}
		outs, err := pipe.Process(0, packet)
		if err != nil || len(outs) != 1 {
			t.Fatalf("round %d: %v, %v", round, outs, err)
		}
		n := len(outs[0].Data) / 2
		if got, want := outs[0].Data[:n], outs[0].Data[n:]; !bytes.Equal(got, want) {
			t.Errorf("round %d: run time %x\ncompile time %x\n%s", round, got, want, program)
		}
	}
}

// program puts the expressions into a program, and the fields' values into a packet.
func (g *exprGen) program(assigns string, results []*types.Bit) (string, []byte) {
	var b strings.Builder
	b.WriteString("#include <v1model.p4>\nheader h_t {\n")
	v, bits := new(big.Int), 0
	for _, f := range g.fields {
		fmt.Fprintf(&b, "    %s %s;\n", f.t, f.name)
		v.Lsh(v, uint(f.t.Width))
		v.Or(v, types.Unsigned(f.t.Width).Wrap(f.value))
		bits += f.t.Width
	}
	pad := -bits & 7
	fmt.Fprintf(&b, "    bit<%d> pad;\n}\nheader r_t {\n", pad)
	out := 0
	for i, t := range results {
		fmt.Fprintf(&b, "    %s x%d;\n", t, i)
		out += t.Width
	}
	fmt.Fprintf(&b, `    bit<%d> pad;
}
struct headers { h_t h; r_t r; r_t k; }
struct meta_t { }
parser P(packet_in pkt, out headers hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start { pkt.extract(hdr.h); transition accept; }
}
control V(inout headers hdr, inout meta_t meta) { apply { } }
control I(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.r.setValid();
        hdr.k.setValid();
%s        hdr.h.setInvalid();
    }
}
control E(inout headers hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control C(inout headers hdr, inout meta_t meta) { apply { } }
control D(packet_out pkt, in headers hdr) { apply { pkt.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
`, -out&7, assigns)
	v.Lsh(v, uint(pad))
	return b.String(), v.FillBytes(make([]byte, (bits+pad)/8))
}
