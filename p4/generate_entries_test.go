package p4

import (
	"errors"
	"fmt"
	"math"

	inband "pintlab/int"
	"pintlab/p4/fixedpoint"

	"pintlab/pint/global"
)

func constants(t *text) error {
	c, err := fixedpoint.ConfigOf(fixedpoint.AppendixB, tableBits).NewConstants(Rate, Horizon)
	if err != nil {
		return err
	}
	tables, err := fixedpoint.NewTables(tableBits)
	if err != nil {
		return err
	}
	scheme := Scheme()
	tau, err := global.NewThreshold(scheme.Tau)
	if err != nil {
		return err
	}
	p, err := global.NewThreshold(scheme.XOR[0])
	if err != nil {
		return err
	}
	t.line("")
	t.line("// Seeds of the hash functions: of the programs with one query, and of the plan.")
	t.line("const bit<32> SEED         = 32w%#x;", Seed)
	t.line("const bit<32> SEED_CHOICE  = 32w%#x;", SeedOf(-1))
	t.line("const bit<32> SEED_PATH    = 32w%#x;", SeedOf(0))
	t.line("const bit<32> SEED_LATENCY = 32w%#x;", SeedOf(1))
	t.line("const bit<32> SEED_LOAD    = 32w%#x;", SeedOf(2))
	t.line("")
	t.line("// CSIG: what a port that the control plane says nothing about sends in a window.")
	t.line("const bit<32> CSIG_CAPACITY = 32w%d;", Rate.In(CSIGWindow))
	t.line("")
	t.line("// Path tracing, scheme %s for d = %d: a packet is in layer 0 with probability", scheme.Name, hops)
	t.line("// τ = %g, and in layer 1 hops act with p = %.6f; both in units of 2^-32.", scheme.Tau, scheme.XOR[0])
	t.line("const bit<32> TAU    = 32w%#x;", uint64(tau))
	t.line("const bit<32> XOR_P  = 32w%#x;", uint64(p))
	t.line("")
	t.line("// The plan: HPCC on 2^-%d of the packets, latency on the others.", HPCCShift)
	t.line("const bit<16> LOAD_FROM = 16w%#x; // first hash that belongs to HPCC", 1<<16-1<<(16-HPCCShift))
	t.line("")
	t.line("// U of a port of %v with T = %v. Logarithms are in units of 2^-20, constants", Rate, Horizon)
	t.line("// of U_term, qlen_term and byte_term; U has 22 fractional bits.")
	t.line("const bit<32> HORIZON     = 32w%d; // ticks of 1 ns", c.T)
	t.line("const bit<32> LOG_HORIZON = 32w%#x; // log T, from the table", uint32(tables.Log2(uint64(c.T))))
	t.line("const bit<32> LOAD_DECAY  = 32w%#x; // -log T - 22", uint32(c.Decay))
	t.line("const bit<32> LOAD_QUEUE  = 32w%#x; // -log B - 2 log T", uint32(c.Queue))
	t.line("const bit<32> LOAD_PACKET = 32w%#x; // -log B - log T", uint32(c.Packet))
	t.line("const bit<32> NO_LOG      = 32w%#x; // the logarithm of 0", lowest())
	t.line("")
	t.line("// The same as a difference, in bytes with 5 fractional bits. The sum of the logarithm of a")
	t.line("// register and the logarithm of a share is -32 to 31, and -64 for 0.")
	t.line("const bit<32> NO_SHARE   = 32w%#x; // log τ/T of τ = 0", uint32(1<<12-32)<<fixedpoint.LogBits)
	t.line("const bit<32> NO_SUM     = 32w%#x;", uint32(1<<12-64)<<fixedpoint.LogBits)
	t.line("const bit<32> LOAD_LEAST = 32w%d; // the code of 1/512·B·T, 8 fractional bits", c.Offset)
	gamma, err := fixedpoint.ConfigOf(fixedpoint.Power, fixedpoint.Power.TableBits()).NewConstants(Rate, Horizon)
	if err != nil {
		return err
	}
	t.line("")
	t.line("// PowerTCP's power in the same units. Sums of logarithms of a product are %d more.", productBias)
	t.line("const bit<32> POWER_LEAST   = 32w%d; // the code of 1/16·B·T, 8 fractional bits", gamma.Offset)
	t.line("const int<32> POWER_PRODUCT = 32s%d; // -log B - log T",
		int64(gamma.Packet)+productBias<<fixedpoint.LogBits)
	t.line("const int<32> NO_PRODUCT    = 32s%d; // of 0", (productBias-64)<<fixedpoint.LogBits)
	t.line("")
	t.line("// Loop check: T + 1 matches of %d bits.", Loop().Bits)
	t.line("const bit<1> LOOP_THRESHOLD = 1w%d;", Loop().Threshold)
	t.line("")
	t.line("// Fridge: requests enter if a random number of 32 bits is below p·2^32.")
	t.line("const bit<32> ENTRY = 32w%#x;", uint64(math.Round(Fridge().Probability*(1<<32))))
	t.line("")
	t.line("// SuMax: packets carry a sketchlet if a random number of 32 bits is below λ_c·2^32.")
	t.line("const bit<32> CARRY = 32w%#x; // λ_c = 1/%d", uint64(1<<32/Carry), Carry)
	return nil
}

func lowest() uint32 {
	n := fixedpoint.NoLog
	return uint32(n)
}

// firstBitActions writes the actions of log2.p4 for the 32 places of the first set bit
// ℓ: ℓ in units of a logarithm, and the q bits that follow.
func firstBitActions(t *text) error {
	for l := 31; l >= 0; l-- {
		next := ""
		switch {
		case l >= tableBits:
			next = fmt.Sprintf("x[%d:%d]", l-1, l-tableBits)
		case l == 0:
			next = fmt.Sprintf("%dw0", tableBits)
		default:
			next = fmt.Sprintf("x[%d:0] ++ %dw0", l-1, tableBits-l)
		}
		t.line("action at_%d() { whole = 32w%#x; next = %s; }", l, l<<fixedpoint.LogBits, next)
	}
	return nil
}

func firstBitNames(t *text) error {
	for l := 31; l >= 0; l-- {
		t.line("at_%d;", l)
	}
	return nil
}

// firstBitEntries writes a ternary entry for each place of the first set bit. A TCAM holds these entries.
func firstBitEntries(t *text) error {
	for l := 31; l >= 0; l-- {
		t.line("32w0x%08x &&& 32w0x%08x : at_%d();", uint32(1)<<l, ^uint32(0)<<l, l)
	}
	return nil
}

func logEntries(t *text) error {
	tables, err := fixedpoint.NewTables(tableBits)
	if err != nil {
		return err
	}
	for i := range 1 << tableBits {
		t.line("%dw%d : found(32w%#x); // log2(1 + %d/%d)", tableBits, i, uint32(tables.LogEntry(i)), i, 1<<tableBits)
	}
	return nil
}

func expEntries(t *text) error {
	tables, err := fixedpoint.NewTables(tableBits)
	if err != nil {
		return err
	}
	for i := range 1 << tableBits {
		t.line("%dw%d : found(32w%#x); // 2^(%d/%d)", tableBits, i, tables.ExpEntry(i), i, 1<<tableBits)
	}
	return nil
}

// The range of the whole part of an exponent for which 2^x, with 22 fractional bits, is neither zero nor longer than 32
// bits. The mantissa has 30 fractional bits.
const (
	firstShift = -22
	lastShift  = 9
)

func shiftName(k int) string {
	if k < 0 {
		return fmt.Sprintf("times_minus_%d", -k)
	}
	return fmt.Sprintf("times_%d", k)
}

func shiftActions(t *text) error {
	for k := lastShift; k >= firstShift; k-- {
		if right := 8 - k; right > 0 {
			t.line("action %s() { y = mantissa >> %d; }", shiftName(k), right)
		} else if right == 0 {
			t.line("action %s() { y = mantissa; }", shiftName(k))
		} else {
			t.line("action %s() { y = mantissa << %d; }", shiftName(k), -right)
		}
	}
	return nil
}

func shiftNames(t *text) error {
	for k := lastShift; k >= firstShift; k-- {
		t.line("%s;", shiftName(k))
	}
	return nil
}

// shiftEntries matches the whole part of an exponent, a signed number of 12 bits. Larger exponents saturate. Smaller
// exponents have no entry, and the result is 0.
func shiftEntries(t *text) error {
	for k := lastShift; k >= firstShift; k-- {
		t.line("12w%#x &&& 12w0xfff : %s();", uint32(k)&0xfff, shiftName(k))
	}
	// The masks cover 10 and more: 10-11, 12-15, 16-31, …, 1024-2047.
	t.line("12w10 &&& 12w0xffe : too_large();")
	t.line("12w12 &&& 12w0xffc : too_large();")
	for b := 4; b < 11; b++ {
		t.line("12w%#x &&& 12w%#x : too_large();", 1<<b, 0xfff&^(1<<b-1))
	}
	return nil
}

// shareEntries writes log(τ/T) for the prefixes of τ.
func shareEntries(t *text) error {
	u, err := Utilization(fixedpoint.Difference)
	if err != nil {
		return err
	}
	p, err := u.NewPort(Rate, Horizon)
	if err == nil {
		t.line("32w0 &&& 32w0xffffffff : none();")
		prefixes(t, "found", 32, "32w", p.TimePrefixes(p.T))
	}
	return err
}

// powerShareEntries writes the entries of shareEntries twice: once for a port that was idle, and once for a port
// that was busy. The τ of a busy port counts as at most params.Drain.
func powerShareEntries(t *text) error {
	u, err := Utilization(fixedpoint.Power)
	if err != nil {
		return err
	}
	p, err := u.NewPort(Rate, Horizon)
	if err != nil {
		return err
	}
	t.line("(1w0, 32w0 &&& 32w0xffffffff) : none();")
	t.line("(1w1, 32w0 &&& 32w0xffffffff) : none();")
	for busy, limit := range []uint32{p.T, Drain} {
		for _, x := range p.TimePrefixes(limit) {
			t.line("(1w%d, 32w0x%08x &&& 32w0x%08x) : found(32w%d);", busy, x.Value, ^uint32(0)<<(32-x.Length), x.Code)
		}
	}
	t.line("(1w1, 32w0 &&& 32w0) : found(32w%d);", p.Share(Drain))
	return nil
}

// numberEntries writes the logarithms of numbers with the given number of bits, signed or unsigned.
func numberEntries(t *text, action string, sign rune, bits int) error {
	u, err := Utilization(fixedpoint.Power)
	if err == nil {
		prefixes(t, action, 32, "32"+string(sign), u.NumberPrefixes(bits))
	}
	return err
}

// powerTable matches 7 bits of the whole part of an exponent, with sign, and q bits of its fraction. Exponents below
// the first entry have no entry, and the result is 0. bias is added to the whole part of all keys.
func powerTable(t *text, form fixedpoint.Form, sign rune, bias int) error {
	u, err := Utilization(form)
	if err != nil {
		return err
	}
	q := u.Config().PowerBits
	from, entries := u.PowerEntries()
	for i, y := range entries {
		key := uint32((from+bias)<<q+i) & (1<<(7+q) - 1)
		t.line("%dw%#x : found_power(32%c%d);", 7+q, key, sign, y)
	}
	return nil
}

// intEntries writes, for each byte of INT's instruction bitmap, the number of words that the byte requests.
func intEntries(t *text, action string, shift int) error {
	for b := range 256 {
		t.line("8w0x%02x : %s(5w%d);", b, action, inband.Instructions(b<<shift).Words())
	}
	return nil
}

// csigEntries writes the buckets of ports of class 0, for each number of free granules in a window.
func csigEntries(t *text) error {
	compact, err := CSIG("compact")
	wide, err2 := CSIG("wide")
	all := Rate.In(CSIGWindow)
	for g := range all/CSIGGranule + 1 {
		used := all - g*CSIGGranule
		c, w := compact.Free(Rate, CSIGWindow, used), wide.Free(Rate, CSIGWindow, used)
		t.line("(8w0, 14w%d) : codes(5w%d, 5w%d, 20w%d, 20w%d);", g, c[0], c[1], w[0], w[1])
	}
	return errors.Join(err, err2)
}

// prefixes writes entries of a longest-prefix-match table.
func prefixes(t *text, action string, keyBits int, data string, list []fixedpoint.Prefix) {
	for _, p := range list {
		if p.Length == 0 {
			t.line("_ : %s(%s%d);", action, data, p.Code)
			continue
		}
		t.line("%dw0x%08x &&& %dw0x%08x : %s(%s%d);",
			keyBits, p.Value, keyBits, ^uint32(0)<<(32-p.Length), action, data, p.Code)
	}
}
