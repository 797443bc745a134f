package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/plots"
)

var update = flag.Bool("update", false, "write testdata/ledger.csv")

// A presetLine identifies a built-in scenario and the results of its first microseconds.
type presetLine struct {
	Preset      string `col:"preset"`
	Hash        string `col:"hash"`
	Config      string `col:"config_sha256"` // digest of all keys, as YAML
	Until       string `col:"until"`
	PacketHops  int    `col:"packet_hops"`
	Fingerprint string `col:"fingerprint"`
	Files       string `col:"files_sha256"` // digest of all files and their names, without the manifest
}

// The ledger detects accidental changes of a built-in scenario or its records. An intended change must also update the
// ledger, in a commit whose message explains what changed and why.
func TestLedgerOfPresets(t *testing.T) {
	const file = "testdata/ledger.csv"
	var got []presetLine
	for _, name := range scenario.Presets() {
		got = append(got, presetRun(t, name))
	}
	table, err := columns.Encode(got)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := table.SaveCSV(file); err != nil {
			t.Fatal(err)
		}
	}
	if table, err = plots.LoadCSV(file); err != nil {
		t.Fatal(err)
	}
	want, err := columns.Decode[presetLine](table)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the built-in scenarios give something else than %s says (-ledger +now); if that is right: "+
			"go test ./experiments/sim -run TestLedgerOfPresets -update\n%s", file, diff)
	}
}

// presetRun runs the beginning of a built-in scenario. With many hosts, it runs a shorter part.
func presetRun(t *testing.T, name string) presetLine {
	t.Helper()
	sc, err := scenario.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	l := presetLine{Preset: name, Until: "3ms"}
	if strings.HasPrefix(name, "fat320") || strings.HasPrefix(name, "perm128") || name == "fig7" {
		l.Until = "100us"
	}
	if l.Hash, err = sc.Hash(); err != nil {
		t.Fatal(err)
	}
	l.Config = store.Digest(sc.YAML())
	short, err := sc.With("run.until=" + l.Until)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), short, Options{})
	if err != nil {
		t.Fatal(err)
	}
	l.PacketHops, l.Fingerprint = int(r.Summary.PacketHops), r.Summary.Fingerprint
	dir, err := Save(r, t.TempDir(), "pintlab run", time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	l.Files = digestFiles(t, dir)
	return l
}

// digestFiles returns the digest of the files of a run directory without its manifest, which depends on the machine.
func digestFiles(t *testing.T, dir string) string {
	t.Helper()
	sum := sha256.New()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == store.ManifestFile {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n", path, len(data))
		sum.Write(data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
