package interp

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
)

// Each archive in testdata/conformance is a program with packets worked out by hand. File "prog.p4" is the program.
// The program can include files of testdata/include and of the archive. File "test" has one step per line ("#"
// begins a comment):
//
//	in PORT HEX      a packet arrives; blanks in the bytes do not matter
//	out PORT HEX     the next packet that came out of the last in
//	none             nothing more came out
//	fail TEXT        the last packet could not be processed, for this reason
//	time US          sets the clock
//	cmd LINE         a control-plane command that works
//	reply TEXT       what the last command answered
//	bad TEXT         the last command (cmd) failed, with this in its message
//
// An archive may have a file "errors" instead of "test". It lists the errors that loading must report.

func TestConformance(t *testing.T) {
	files, err := filepath.Glob("testdata/conformance/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no conformance programs", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) { conform(t, f) })
	}
}

// loadArchive loads the program of an archive.
func loadArchive(t testing.TB, file string) (*Program, map[string]string, error) {
	t.Helper()
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{}
	parts := map[string]string{}
	for _, f := range ar.Files {
		fsys[f.Name] = &fstest.MapFile{Data: f.Data}
		parts[f.Name] = string(f.Data)
	}
	shared, err := fs.Glob(os.DirFS("testdata/include"), "*.p4")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range shared {
		data, err := os.ReadFile(filepath.Join("testdata/include", name))
		if err != nil {
			t.Fatal(err)
		}
		if fsys[name] == nil {
			fsys[name] = &fstest.MapFile{Data: data}
		}
	}
	p, err := LoadFS(fsys, "prog.p4", Options{})
	return p, parts, err
}

func conform(t *testing.T, file string) {
	prog, parts, err := loadArchive(t, file)
	if want, ok := parts["errors"]; ok {
		got := ""
		if err != nil {
			got = err.Error() + "\n"
		}
		if got != want {
			t.Errorf("errors:\n%swant:\n%s", got, want)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if want, ok := parts["warnings"]; ok {
		var got bytes.Buffer
		for _, w := range prog.Warnings {
			fmt.Fprintln(&got, w)
		}
		if got.String() != want {
			t.Errorf("warnings:\n%swant:\n%s", got.String(), want)
		}
	} else if len(prog.Warnings) > 0 {
		t.Errorf("unexpected warning: %v", prog.Warnings[0])
	}
	pipe, err := prog.NewPipeline(Config{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := stepper{t: t, p: pipe}
	for i, line := range strings.Split(parts["test"], "\n") {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" {
			s.step(i+1, line)
		}
	}
	s.done("the end")
	if s.packets == 0 {
		t.Error("the test has no packets")
	}
}

type stepper struct {
	t       *testing.T
	p       *Pipeline
	packets int
	outs    []Output
	err     error // error of the last packet
	reply   string
	cmdErr  error
}

// done checks that the last step has no output that the test does not expect.
func (s *stepper) done(where string) {
	s.t.Helper()
	for _, o := range s.outs {
		s.t.Errorf("before %s: unexpected packet on port %d: %x", where, o.Port, o.Data)
	}
	if s.err != nil {
		s.t.Errorf("before %s: packet failed: %v", where, s.err)
	}
	if s.cmdErr != nil {
		s.t.Errorf("before %s: command failed: %v", where, s.cmdErr)
	}
	s.outs, s.err, s.cmdErr = nil, nil, nil
}

func (s *stepper) step(n int, line string) {
	s.t.Helper()
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	where := fmt.Sprintf("step %d (%s)", n, line)
	switch word {
	case "in", "out":
		port, data := s.packet(where, rest)
		if word == "in" {
			s.done(where)
			s.packets++
			s.outs, s.err = s.p.Process(port, data)
			return
		}
		if len(s.outs) == 0 {
			s.t.Fatalf("%s: nothing more came out", where)
		}
		o := s.outs[0]
		s.outs = s.outs[1:]
		if o.Port != port || !bytes.Equal(o.Data, data) {
			s.t.Errorf("%s: got port %d %x", where, o.Port, o.Data)
		}
	case "none":
		s.done(where)
	case "fail":
		if s.err == nil || !strings.Contains(s.err.Error(), rest) {
			s.t.Errorf("%s: got %v", where, s.err)
		}
		s.err = nil
	case "time":
		us, err := strconv.ParseUint(rest, 10, 64)
		if err != nil {
			s.t.Fatalf("%s: %v", where, err)
		}
		s.p.SetTime(us)
	case "cmd":
		s.done(where)
		s.reply, s.cmdErr = s.p.Command(rest)
	case "reply":
		if s.reply != rest {
			s.t.Errorf("%s: got %q", where, s.reply)
		}
	case "bad":
		if s.cmdErr == nil || !strings.Contains(s.cmdErr.Error(), rest) {
			s.t.Errorf("%s: got %v", where, s.cmdErr)
		}
		s.cmdErr = nil
	default:
		s.t.Fatalf("%s: unknown step", where)
	}
}

func (s *stepper) packet(where, rest string) (int, []byte) {
	p, text, _ := strings.Cut(rest, " ")
	port, err1 := strconv.Atoi(p)
	data, err2 := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err := errors.Join(err1, err2); err != nil {
		s.t.Fatalf("%s: %v", where, err)
	}
	return port, data
}
