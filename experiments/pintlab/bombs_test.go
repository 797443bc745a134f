package pintlab

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Every command that reads text refuses a file that is too large for its kind, without using much memory. The files
// have 17 MB. A file consists of one word without a line break, of comments, of brackets, or of values of a list.
func TestLargeFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	sound := write("sound.p4", []byte("#include <v1model.p4>\n"))
	capture := write("empty.pcap",
		[]byte("\xd4\xc3\xb2\xa1\x02\x00\x04\x00"+
			"\x00\x00\x00\x00\x00\x00\x00\x00"+"\xff\xff\x00\x00\x01\x00\x00\x00"))
	const size = 17 << 20
	bombs := map[string][]byte{
		"word":     bytes.Repeat([]byte("a"), size),
		"comments": bytes.Repeat([]byte("# a\n"), size/4),
		"brackets": bytes.Repeat([]byte("["), size),
		"values":   append([]byte("workload: ["), bytes.Repeat([]byte("1,"), size/2)...),
	}
	for line, end := range map[string]string{
		"run FILE":                            ".yaml",
		"run --config FILE":                   ".txt",
		"sweep FILE":                          ".yaml",
		"compare FILE --cc hpcc,swift":        ".yaml",
		"pint plan FILE":                      ".yaml",
		"workload sizes FILE":                 ".cdf",
		"topology show FILE":                  ".txt",
		"topology show FILE ":                 ".gml",
		"topology show FILE  ":                ".graphml",
		"topology show FILE   ":               ".topo",
		"workload show FILE":                  ".txt",
		"workload show FILE ":                 ".cm",
		"run solo --set workload.0.path=FILE": ".et",
		"p4 lint FILE":                        ".p4",
		"p4 stages hpcc_util --target FILE":   ".yaml",
		"p4 test SOUND FILE":                  ".stf",
		"p4 run FILE --dump -":                ".yaml",
		"p4 run pint_path --in CAPTURE --commands FILE --dump -": ".txt",
		"plot FILE": ".csv",
	} {
		for kind, data := range bombs {
			t.Run(strings.Fields(line)[0]+" "+kind+end, func(t *testing.T) {
				files := strings.NewReplacer("FILE", write("bomb"+end, data), "SOUND", sound, "CAPTURE", capture)
				words := strings.Fields(files.Replace(line))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				var stdout, stderr bytes.Buffer
				code := invoke(append(words, "--quiet"), &stdout, &stderr)
				runtime.ReadMemStats(&after)
				if code != exitUsage || stderr.Len() == 0 || stderr.Len() > 1<<16 {
					t.Errorf("%q: exit code %d, %d B of errors: %.300s", words, code, stderr.Len(), &stderr)
				}
				if grown := int64(after.TotalAlloc-before.TotalAlloc) >> 20; grown > 1024 {
					t.Errorf("%q: %d MB allocated", words, grown)
				}
			})
		}
	}
}
