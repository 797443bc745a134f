package scenario_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pintlab/experiments/internal/compare"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario/ns3config"
	"pintlab/netsim/topo"
	"pintlab/pint/query"
	"pintlab/workloads"
	"pintlab/workloads/packets"
)

// readers lists the readers of users' files, each with a file that it accepts.
var readers = []struct {
	name, example string
	read          func(path string) error
}{
	{"topology.txt", "3 1 2\n2\n0 2 100Gbps 1000ns 0.000000\n1 2 100Gbps 1000ns 0.000000\n", topology},
	{"map.gml", "graph [\n  node [\n    id 0\n    label \"a\"\n  ]\n  node [\n    id 1\n  ]\n  edge [\n" +
		"    source 0\n    target 1\n  ]\n]\n", topology},
	{"map.graphml", "<graphml>\n<graph edgedefault=\"undirected\">\n<node id=\"0\"/>\n<node id=\"1\"/>\n" +
		"<edge source=\"0\" target=\"1\"/>\n</graph>\n</graphml>\n", topology},
	{"flow.txt", "2\n0 1 3 100 20000 2.000000000\n1 0 3 100 40000 2.500000000\n", func(path string) error {
		return opened(path, func(r io.Reader) error { _, _, err := workloads.ReadFlows(r, path, nil); return err })
	}},
	{"flows.cm", "Nodes 2\nConnections 2\n0->1 id 1 start 0 size 2000\n1->0 id 2 start 5000 size 4000\n",
		func(path string) error {
			return opened(path, func(r io.Reader) error {
				_, _, err := workloads.ReadConnectionMatrix(r, path, nil)
				return err
			})
		}},
	{"sizes.txt", "1 0\n1000 50\n20000 100\n", func(path string) error {
		return opened(path, func(r io.Reader) error { _, err := workloads.ReadCDF(r, path); return err })
	}},
	{"fct.txt", "0b000001 0b000101 10000 100 20000 2000000000 4000 3000\n", func(path string) error {
		return opened(path, func(r io.Reader) error { _, err := store.ReadFCT(r, path); return err })
	}},
	{"config.txt", "CC_MODE 3\nTOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nPACKET_PAYLOAD_SIZE 1000\n" +
		"BUFFER_SIZE 32\nU_TARGET 0.95\nRATE_AI 50Mb/s\nVAR_WIN 1\nMULTI_RATE 0\n", func(path string) error {
		_, _, err := ns3config.Load(path)
		return err
	}},
	{"campaign.yaml", "name: two\nbase: two-flows\nseeds: 2\nvary:\n  eta:\n    low: {cc.eta: 0.9}\n" +
		"    high: {cc.eta: 0.95}\n", func(path string) error {
		_, err := compare.LoadGrid(path)
		return err
	}},
	{"queries.yaml", "bits: 8\nhops: 5\nqueries:\n  - name: path\n    value: switch_id\n" +
		"    aggregation: static\n    bits: 8\n    space: 1KB\n", func(path string) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_, err = query.Parse(path, text)
		return err
	}},
	{"trace.dat", records(), trace},
	{"trace.pcap", capture(), trace},
}

func topology(path string) error {
	_, err := topo.ReadFile(path, topo.DefaultFill())
	return err
}

func opened(path string, read func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return read(f)
}

func trace(path string) error {
	r, err := packets.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	for p := (packets.Packet{}); r.Next(&p); {
	}
	var part packets.Partial
	part.AddFile(path, r.Truncation())
	return errors.Join(r.Err(), part.Incomplete())
}

// records returns a record file with three packets.
func records() string {
	var b []byte
	for i := range 3 {
		b = append(b, bytes.Repeat([]byte{byte(i + 1)}, packets.TupleSize)...)
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(i)))
	}
	return string(b)
}

// capture is a pcap file with two packets, 28 bytes of IPv4 and UDP each.
func capture() string {
	b := binary.LittleEndian.AppendUint32(nil, 0xa1b2c3d4)
	for _, word := range []uint32{4<<16 | 2, 0, 0, 65535, 101} {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	for i := range 2 {
		for _, word := range []uint32{uint32(i), 0, 28, 28} {
			b = binary.LittleEndian.AppendUint32(b, word)
		}
		b = append(b, 0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0, 1, 0, 2, 0, 8, 0, 0)
	}
	return string(b)
}

// change is a changed file and the line that was changed; line 0 stands for the whole file.
type change struct {
	text string
	line int
	word string // inserted word, "" if none
}

var aNumber = regexp.MustCompile(`-?\b\d+(\.\d+)?`)

// changes returns versions of a file with mistakes: invalid numbers and numbers beyond every range, additional or
// missing words and lines, and files of another kind.
func changes(text string) (list []change) {
	list = append(list, change{"", 0, ""}, change{"\x7fELF\x02\x01\x01\x00\x00\xff\xfe", 0, ""},
		change{"\xff\xfe\xfa\xfb\n", 1, ""})
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		for n := 1; n < len(text); n += 3 {
			list = append(list, change{text[:n], 0, ""})
		}
		return list
	}
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines[:len(lines)-1] {
		before, after := strings.Join(lines[:i], ""), strings.Join(lines[i+1:], "")
		put := func(l, word string) { list = append(list, change{before + l + after, i + 1, word}) }
		for _, at := range aNumber.FindAllStringIndex(l, -1) {
			for _, word := range []string{"-7", "NaN", "1e999", "99999999999999999999", "0x1F", "seven"} {
				put(l[:at[0]]+word+l[at[1]:], word)
			}
		}
		l = strings.TrimSuffix(l, "\n")
		put(l+" surplus\n", "surplus")
		put(l[:strings.LastIndexByte(" "+l, ' ')]+"\n", "")
		put(l[:len(l)/2]+"\n", "")
		put("nonesuchkey 1\n", "nonesuchkey")
		put(l+"\x00\n", "")
		put("", "")
		list = append(list, change{before + l[:len(l)/2], 0, ""})
	}
	return list
}

// If a file is refused, the error begins with the name of the file. A message about a word names the line of the word
// or the next line, or quotes the word. In nested formats (YAML, GML, GraphML), the error may be detected later. The
// message also names the accepted values.
func TestReadersNameTheMistake(t *testing.T) {
	dir := t.TempDir()
	tried, refused := 0, 0
	for _, r := range readers {
		path := filepath.Join(dir, r.name)
		write := func(text string) {
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		write(r.example)
		if err := r.read(path); err != nil {
			t.Errorf("%s: the example is refused: %v", r.name, err)
			continue
		}
		for _, c := range changes(r.example) {
			write(c.text)
			tried++
			err := r.read(path)
			if err == nil {
				continue // the change is in a comment or a label, or between two records
			}
			refused++
			if what := lacks(err.Error(), path, c); what != "" {
				t.Errorf("%s: no %s in\n%s\nabout line %d of\n%q", r.name, what, err, c.line, c.text)
			}
		}
	}
	if refused < 700 {
		t.Errorf("of %d files %d are refused: they are not all changed", tried, refused)
	}
}

var (
	aPlace = regexp.MustCompile(`^:(\d+)(:\d+)?: `)
	nested = regexp.MustCompile(`\.(ya?ml|gml|graphml)$`)
	aRule  = regexp.MustCompile(`want|accepted|expected|unknown|missing|not |only|more than|no node|no ` +
		`such|without|shorter|truncated|ends|twice|declares|impossible|syntax`)
)

// lacks returns what a message about a change lacks, or "" if it lacks nothing. If the message lists several mistakes,
// it is enough that one of them is about the change.
func lacks(message, path string, c change) (what string) {
	for m := range strings.Lines(message) {
		if what = lacking(m, path, c); what == "" {
			return ""
		}
	}
	return what
}

func lacking(message, path string, c change) string {
	rest, named := strings.CutPrefix(message, path)
	if !named && !strings.HasPrefix(message, fmt.Sprintf("topology %q: ", path)) { // the mistake concerns the whole map
		return "name of the file in front"
	}
	if strings.Contains(message, "panic") {
		return "reason"
	}
	if !aRule.MatchString(rest) {
		return "rule"
	}
	if !named || c.word == "" {
		return ""
	}
	place := aPlace.FindStringSubmatch(rest)
	if place == nil {
		return "line"
	}
	if line, _ := strconv.Atoi(place[1]); !nested.MatchString(path) && line != c.line && line != c.line+1 &&
		!strings.Contains(rest, c.word) {
		return fmt.Sprintf("line %d nor %q", c.line, c.word)
	}
	return ""
}
