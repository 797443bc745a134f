package validate

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pintlab/p4/interp"
	p4exec "pintlab/p4/interp/exec"
)

// The interpreter sends the same packets and ends with the same registers as a real switch: simple_switch 1.15.5 of
// BMv2 with programs compiled by p4c 1.2.4.8. testdata/bmv2 contains recordings of this switch: lines "command
// TEXT", "in HEX", "out PORT HEX" and "register NAME=CELLS". The recordings omit registers that contain times.
// int_md-transit contains only the first 150 packets.
func TestRecordedSwitch(t *testing.T) {
	files, err := filepath.Glob("testdata/bmv2/*.txt.gz")
	if err != nil || len(files) < 17 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt.gz")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := Find(name)
			if err != nil {
				t.Fatal(err)
			}
			prog, err := p.load(p.defines())
			if err != nil {
				t.Fatal(err)
			}
			pipe, err := prog.NewPipeline(interp.Config{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			r := readSwitch(t, file)
			if err := obey(pipe, r.commands); err != nil {
				t.Fatal(err)
			}
			sent := &bmv2Sample{out: map[int][]sentPacket{}}
			for i, in := range r.in {
				outs, err := pipe.Process(0, in)
				if err != nil {
					t.Fatalf("packet %d: %v", i, err)
				}
				sent.record(in, outs)
			}
			for port := range r.out {
				sent.out[port] = append(sent.out[port], []sentPacket(nil)...) // also if only the switch sends here
			}
			if d := firstDifference(r.out, sent.out, bytes.Equal); d != nil {
				d.Program = name
				t.Error(d)
			}
			for _, o := range pipe.Device().Objects() {
				cells, ok := r.registers[o.Name]
				if register, is := o.State.(*p4exec.Register); is && ok {
					delete(r.registers, o.Name)
					if have := cellsOf(t, register); have != cells {
						t.Errorf("register %s is %.200s, in the switch %.200s", o.Name, have, cells)
					}
				}
			}
			for name := range r.registers {
				t.Errorf("no register %s", name)
			}
		})
	}
}

// cellsOf returns the cells of a register in the format of the recordings.
func cellsOf(t *testing.T, r *p4exec.Register) string {
	t.Helper()
	cells := make([]string, r.Size)
	for i := range cells {
		v, err := r.Read(i)
		if err != nil {
			t.Fatal(err)
		}
		cells[i] = v.String()
	}
	return strings.Join(cells, ",")
}

// switchRecording is a recorded run of the real switch.
type switchRecording struct {
	commands  []string
	in        [][]byte
	out       map[int][][]byte
	registers map[string]string
}

func readSwitch(t *testing.T, file string) switchRecording {
	t.Helper()
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	r := switchRecording{out: map[int][][]byte{}, registers: map[string]string{}}
	packet := func(s string) []byte {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for line := range strings.Lines(string(text)) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch kind {
		case "command":
			r.commands = append(r.commands, rest)
		case "in":
			r.in = append(r.in, packet(rest))
		case "out":
			port, bytes, _ := strings.Cut(rest, " ")
			n, err := strconv.Atoi(port)
			if err != nil {
				t.Fatal(err)
			}
			r.out[n] = append(r.out[n], packet(bytes))
		case "register":
			name, cells, _ := strings.Cut(rest, "=")
			r.registers[name] = cells
		default:
			t.Fatalf("%s: %q", file, line)
		}
	}
	if len(r.in) == 0 {
		t.Fatalf("%s: no packets", file)
	}
	return r
}
