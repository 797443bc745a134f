package pintlab

import (
	"bytes"
	"os"
	"runtime"
	"testing"

	"pintlab/plots"
)

// Output has colours only on terminals, and only if the environment does not forbid them.
func TestColoured(t *testing.T) {
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if coloured(file) || coloured(w) || coloured(&bytes.Buffer{}) {
		t.Error("colours in a file, a pipe or a buffer")
	}
	if runtime.GOOS != "linux" {
		return
	}
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("needs a terminal of /dev/ptmx: %v", err)
	}
	defer terminal.Close()
	if !coloured(terminal) {
		t.Error("none on a terminal")
	}
	t.Setenv("NO_COLOR", "1")
	if coloured(terminal) {
		t.Error("colours despite NO_COLOR")
	}
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	if coloured(terminal) {
		t.Error("colours on a dumb terminal")
	}
}

func TestPaint(t *testing.T) {
	var b bytes.Buffer
	p := &program{stdout: &output{w: &b}}
	const changes = "-1.4 % (-4.4 to +1.5)  -13 % (-15 to -11)  +90 % (+85 to +95)  -13 %"
	if got := p.paintChanges(changes); got != changes {
		t.Errorf("without colours: %q", got)
	}
	p.stdout.coloured = true
	const want = "\x1b[2m-1.4 % (-4.4 to +1.5)\x1b[0m  \x1b[36m-13 % (-15 to -11)\x1b[0m  " +
		"\x1b[33m+90 % (+85 to +95)\x1b[0m  -13 %"
	if got := p.paintChanges(changes); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	table, err := plots.NewTable(plots.Whole("n", ""))
	if err == nil {
		err = table.Append(int64(7))
	}
	if err != nil {
		t.Fatal(err)
	}
	if p.printTable(table); b.String() != "\x1b[1mn\x1b[0m\n─\n7\n" {
		t.Errorf("table %q, %v", b.String(), err)
	}
}
