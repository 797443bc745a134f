package interp

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
)

// fuzzConfig stops endless programs early, because each of them would otherwise run for a tenth of a second.
var fuzzConfig = Config{Steps: 1 << 12}

// conformancePrograms returns the programs of the conformance suite.
func conformancePrograms(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/conformance/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range ar.Files {
			if part.Name == "prog.p4" {
				out = append(out, string(part.Data))
			}
		}
	}
	return out
}

// FuzzLoad gives any text to the front end and, if it is a program, a few packets to the loaded pipeline. Errors are
// allowed, but internal errors and panics are not.
func FuzzLoad(f *testing.F) {
	for _, p := range conformancePrograms(f) {
		f.Add(p)
	}
	shared := fstest.MapFS{}
	for _, n := range []string{"begin.p4", "main.p4"} {
		data, err := os.ReadFile("testdata/include/" + n)
		if err != nil {
			f.Fatal(err)
		}
		shared[n] = &fstest.MapFile{Data: data}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		fsys := fstest.MapFS{"prog.p4": {Data: []byte(text)}, "begin.p4": shared["begin.p4"],
			"main.p4": shared["main.p4"]}
		prog, err := LoadFS(fsys, "prog.p4", Options{})
		if errors.Is(err, ErrInternal) {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		p, err := prog.NewPipeline(fuzzConfig)
		if err != nil {
			t.Fatal(err)
		}
		for _, packet := range []string{"", "\x01",
			"\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11",
			strings.Repeat("\xff", 26),
		} {
			if _, err := p.Process(1, []byte(packet)); errors.Is(err, ErrInternal) {
				t.Fatal(err)
			}
		}
	})
}

// FuzzProcess gives any packet to the programs of the conformance suite.
func FuzzProcess(f *testing.F) {
	var pipes []*Pipeline
	files, err := filepath.Glob("testdata/conformance/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		prog, _, err := loadArchive(f, file)
		if err != nil {
			continue // a program of the error cases
		}
		p, err := prog.NewPipeline(fuzzConfig)
		if err != nil {
			f.Fatal(err)
		}
		pipes = append(pipes, p)
	}
	for _, s := range []string{"", "\x00", "\x01\x02\x03\x04",
		"\x05\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\x00\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, packet string) {
		for i, p := range pipes {
			if _, err := p.Process(1, []byte(packet)); errors.Is(err, ErrInternal) {
				t.Fatalf("program %d: %v", i, err)
			}
		}
	})
}

// FuzzCommand gives any line to the control plane.
func FuzzCommand(f *testing.F) {
	for _, s := range []string{
		"table_add t fwd 1 2 => 3 4", "table_set_default t fwd 1", "register_write r 1 0xff", "register_read r",
		"mirroring_add 1 2", "mc_mgrp_create 1", "mc_node_create 1 2 3", "mc_node_associate 1 0",
		"set_crc16_parameters c 1 2 3 true false", "counter_read c 1", "pvs_add vs 1",
		"table_add l fwd 10.0.0.0/8 => 1",
		"act_prof_create_member p fwd 1", "table_add t fwd 1&&&2 1->2 => 3 4 # comment",
	} {
		f.Add(s)
	}
	var pipes []*Pipeline
	for _, name := range []string{"table_exact", "table_lpm", "table_ternary", "ext_register", "ext_counter",
		"action_profile", "parser_value_set", "clone_multicast", "table_wide_key"} {
		prog, _, err := loadArchive(f, "testdata/conformance/"+name+".txtar")
		if err != nil {
			f.Fatal(err)
		}
		p, err := prog.NewPipeline(fuzzConfig)
		if err != nil {
			f.Fatal(err)
		}
		pipes = append(pipes, p)
	}
	packet := make([]byte, 20)
	f.Fuzz(func(t *testing.T, line string) {
		for _, p := range pipes {
			p.Command(line) //nolint:errcheck // any answer will do
			if _, err := p.Process(1, packet); errors.Is(err, ErrInternal) {
				t.Fatalf("after %q: %v", line, err)
			}
		}
	})
}
