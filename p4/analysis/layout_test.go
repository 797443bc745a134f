package analysis

import (
	"fmt"
	"strings"
	"testing"
)

// small is a target on which a stage has little room.
func small(t *testing.T) *Target {
	t.Helper()
	target := *tofino(t)
	target.Title = "a small switch"
	target.Stages.Limit = 4
	target.Tables.Limit, target.StatefulALUs.Limit, target.HashBits.Limit, target.Actions.Limit = 2, 1, 64, 3
	return &target
}

// Independent units share a stage as long as it has room, and then use the next stage.
func TestLayOutUsesStagesByTheirRoom(t *testing.T) {
	table := func(n int) string {
		return fmt.Sprintf("action a%[1]d(bit<32> v) { meta.x = v; } table t%[1]d { key = { hdr.h.a : exact; } "+
			"actions = { a%[1]d; NoAction; } default_action = NoAction(); }\n", n)
	}
	tests := []struct {
		name, locals, apply string
		depth, stages       int
		problem             string
	}{
		{"a table", table(1), "t1.apply();", 1, 1, ""},
		{"hashes of 32 bits, two in a stage",
			"", "hash(meta.x, HashAlgorithm.crc32, 32w0, { hdr.h.a }, 32w8); hash(meta.y, HashAlgorithm.crc32, " +
				"32w0, { hdr.h.b }, 32w8); hash(hdr.h.r, HashAlgorithm.crc32, 32w0, { hdr.h.c }, 32w8);", 1, 2,
			""},
		{"registers, one in a stage", "register<bit<32>>(8) r; register<bit<32>>(8) s; register<bit<32>>(8) u;",
			"bit<32> v; r.read(v, 0); r.write(0, v + 1); s.read(v, 0); s.write(0, v + 2); u.read(v, 0); " +
				"u.write(0, v + 3);", 1, 3,
			""},
		{"branches, each with a table of its own",
			"", "if (hdr.h.n == 1) { meta.x = hdr.h.a + 1; } else { meta.y = hdr.h.b + 2; } hdr.h.r = hdr.h.c + 1;",
			1, 2,
			""},
		{"a chain that is too long",
			"", "meta.x = hdr.h.a + 1; meta.x = meta.x + hdr.h.b; meta.x = meta.x ^ hdr.h.c; " +
				"meta.x = meta.x + hdr.h.a; hdr.h.r = meta.x + 2;", 5, 5,
			"target: the program needs 5 stages, but a small switch has 4"},
		{"a register that is too large", "register<bit<64>>(262144) r;",
			"bit<64> v; r.read(v, 0); r.write(0, v + 1);", 1, 1,
			"t.p4:13:1: target: register I.r needs 129 blocks of SRAM (one of them spare), but on a small switch a " +
				"register has at most 24"},
		{"more actions than addresses",
			"action a() { meta.x = 1; } action b() { meta.x = 2; } action c() { meta.x = 3; } action d() { " +
				"meta.x = 4; } table t { key = { hdr.h.n : exact; } actions = { a; b; c; d; } default_action = a(); }",
			"t.apply();", 1, 1,
			"t.p4:13:115: target: table I.t needs 4 ingress actions, but a stage of a small switch has 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := program(t, tt.locals, tt.apply)
			if got := Stages(p, small(t))[0].Stages; got != tt.depth {
				t.Errorf("%d stages by dependencies, want %d", got, tt.depth)
			}
			l := LayOut(p, small(t))
			if l.Stages != tt.stages {
				t.Errorf("%d stages, want %d: %v", l.Stages, tt.stages, l.Use)
			}
			if tt.problem == "" != l.Fits() ||
				tt.problem != "" && !strings.HasPrefix(fmt.Sprint(l.Problems), "["+tt.problem) {
				t.Errorf("problems %v, want %s", l.Problems, tt.problem)
			}
		})
	}
}

// The prefix table has 2000 keys of 32 bits. A TCAM block has 512 words of 44 bits, so the keys take four blocks.
// With a single action, a result takes 16 bits and no bits that select the action. Eight results fit into a word of
// 128 bits, so all of them take one block of SRAM. The exact table has 3000 entries of 60 bits: 40 of key, 4 of
// overhead and 16 of data. Two entries fit into a word, so they take two blocks of 1024 words.
func TestMemoryOfTables(t *testing.T) {
	p := program(t, `action a(bit<16> v) { meta.x = (bit<32>) v; }
table prefix { key = { hdr.h.a : lpm; } actions = { a; } default_action = a(0); size = 2000; }
table exactly { key = { hdr.h.b : exact; hdr.h.n : exact; } actions = { a; } default_action = a(0); size = 3000; }
register<bit<32>>(65536) r;`,
		"prefix.apply(); exactly.apply(); bit<32> v; r.read(v, hdr.h.c); r.write(hdr.h.c, v + 1);")
	l := LayOut(p, tofino(t))
	sum := Use{}
	for _, u := range l.Use {
		sum = sum.plus(u)
	}
	want := map[Resource]int{
		Tables: 3, TernaryTables: 1, TCAM: 4, TernaryBytes: 4, ExactBytes: 5, StatefulALUs: 1, HashBits: 16,
		SRAM: 1 + 2 + 17, // the register takes 16 blocks for 65536·32 bits, and one spare block
	}
	for r, n := range want {
		if sum[r] != n {
			t.Errorf("%v: %d, want %d", r, sum[r], n)
		}
	}
}

// A layout respects dependencies and the limits of a stage, whatever these limits are.
func TestLayOutKeepsDependenciesAndLimits(t *testing.T) {
	locals := "register<bit<32>>(8) r; action a(bit<32> v) { meta.x = v + hdr.h.b; } table t { key = { " +
		"meta.y : exact; } actions = { a; NoAction; } default_action = NoAction(); }"
	apply := "hash(meta.y, HashAlgorithm.crc32, 32w0, { hdr.h.a }, 32w8); t.apply(); bit<32> v; r.read(v, " +
		"meta.x); r.write(meta.x, v + 1); if (v == 3) { hdr.h.r = meta.x + meta.y; } else { " +
		"hdr.h.d = hdr.h.b - meta.y; }"
	p := program(t, locals, apply)
	least := Stages(p, tofino(t))[0].Stages
	for tables := 1; tables <= 4; tables++ {
		target := *tofino(t)
		target.Tables.Limit = tables
		l := LayOut(p, &target)
		if !l.Fits() || l.Stages < least {
			t.Errorf("%d tables: %d stages of at least %d, %v", tables, l.Stages, least, l.Problems)
		}
		for i, u := range l.Use {
			if r := u.over(l.Limit); r >= 0 {
				t.Errorf("%d tables: stage %d has %d %v", tables, i+1, u[r], r)
			}
		}
	}
}
