package job

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pintlab/internal/errtest"
)

func TestGOALErrors(t *testing.T) {
	const head = "num_ranks 2\nrank 0 {\n"
	const tail = "}\nrank 1 {\n}\n"
	for _, tt := range []struct{ text, want string }{
		{"", "f: want a line num_ranks N first"},
		{"rank 0 {\n", "f:1: … want num_ranks …"},
		{"num_ranks 0\n", "f:1: … number from 1 to 65536"},
		{"num_ranks 2\nrank 1 {\n", "f:2: … want rank 0 {"},
		{head + "}\n", "f:3: the file ends inside rank 0 of 2"},
		{head, "f:2: the file ends inside rank 0 of 2"},
		{head + "a: calc 1\na: calc 2\n" + tail, "f:4: label \"a\" …"},
		{head + "a: calc 1\na requires b\n" + tail, "f:4: label \"b\" is not defined above in rank 0"},
		{head + "calc\n" + tail, "f:3: calc \"\", want a whole number …"},
		{head + "calc 99999999999999999999\n" + tail, "f:3: calc … want a whole number …"},
		{head + "jump 3\n" + tail, "f:3: \"jump\" is not an operation (accepted: send, recv, calc …"},
		{head + "send 5 to 1\n" + tail, "f:3: … want send BYTESb to RANK"},
		{head + "send 5b to 2\n" + tail, "f:3: to \"2\", want a rank other than 0, from 0 to 1"},
		{head + "send 5b to 0\n" + tail, "f:3: to \"0\", want a rank other …"},
		{head + "send 5b to 1 cpu 0 tag 1\n" + tail, "f:3: \"tag\" is not accepted here …"},
		{head + "calc 5 tag 1\n" + tail, "f:3: \"tag\" is not accepted here …"},
		{head + "send 5b to 1 tag x\n" + tail, "f:3: tag \"x\", want a number …"},
		{head + "send 5b to 1 tag 3\n" + tail,
			"f:3: the message of rank 0 is for a receive that rank 1 does not have (tag 3)"},
		{head + "recv 5b from 1 tag 3\n" + tail,
			"f:3: the receive of rank 0 is for a message that no rank sends (rank 1, tag 3)"},
		{head + "r: recv 5b from 1\ns: send 5b to 1\ns requires r\n}\nrank 1 {\nr: recv 5b from 0\ns: send 5b to " +
			"0\ns requires r\n}\n", "f:3: the receive of rank 0 is for f:9: the message of rank 1, which can never " +
			"begin: it waits for f:8: the receive of rank 1, which also never ends (or the two wait for each other)"},
		{head + tail, "f: no rank has an operation, want at least one send, recv or calc"},
		{head + strings.Repeat(" ", bufio.MaxScanTokenSize), "f:3: line longer than 65536 bytes"},
	} {
		if _, err := ReadGOAL(strings.NewReader(tt.text), "f", 1, hosts); !errtest.Says(err, tt.want) {
			t.Errorf("%q: error %v, want %s", tt.text, err, tt.want)
		}
	}
}

// The reader treats comments, blanks before the b, and text after the last rank as txt2bin does.
func TestGOALForm(t *testing.T) {
	text := "// one\nnum_ranks 2\n/* two\nlines */\nrank 0 {\n\tl: send 10 b to 1 tag 3 cpu 1 nic 0\n}\nrank 1 " +
		"{\nrecv 10b from -1 tag -1\n}\nwhatever follows\n"
	g, err := ReadGOAL(strings.NewReader(text), "f", 1000, hosts)
	if err != nil || len(g.Tasks) != 2 || g.Tasks[0].Line != 6 || !g.Tasks[0].Eager || g.Tasks[0].Tag != 3 {
		t.Errorf("%+v, %v", g, err)
	}
}

func FuzzReadGOAL(f *testing.F) {
	files, err := filepath.Glob("testdata/*.goal")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add("num_ranks 1\nrank 0 {\na: calc 1 cpu 2\nb: calc 2\nb irequires a\n}\n")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := ReadGOAL(strings.NewReader(text), "f", 1, hosts)
		if err == nil && len(g.Hosts) == 0 || err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%v", err)
		}
	})
}
