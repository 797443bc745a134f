package analysis

import (
	"testing"

	"pintlab/netsim/unit"
)

// The cells of a register count once, for any number of uses. An exact table takes blocks of SRAM of 16 KiB, and a
// ternary table also takes blocks of TCAM of 2816 B.
func TestMemory(t *testing.T) {
	const sram, tcam = 1024 * 16, 512 * 44 / 8
	p := program(t, `register<bit<32>>(100) r; register<bit<8>>(16) s;
		action a(bit<32> v) { meta.x = v; }
		table wide { key = { hdr.h.a : exact; } actions = { a; NoAction; } default_action = NoAction(); size = 64; }
		table ternary { key = { hdr.h.b : ternary; } actions = { a; NoAction; }
			default_action = NoAction(); size = 64; }`,
		"bit<32> v; bit<8> w; r.read(v, 0); r.write(0, v + 1); s.read(w, 0); s.write(0, w + 1); wide.apply(); "+
			"ternary.apply();")
	registers, tables := Memory(p, tofino(t))
	if registers != 416 || tables != unit.Bytes(2*sram+tcam) {
		t.Errorf("%v of registers and %v of tables, want 416 B and %d B", registers, tables, 2*sram+tcam)
	}
}
