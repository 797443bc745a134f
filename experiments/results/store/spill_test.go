package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"pintlab/internal/hash"
	"pintlab/netsim/unit"
)

// TestSpill compares records that are stored in files with the same records in memory, in the order of IDs and in other
// orders.
func TestSpill(t *testing.T) {
	const many = 2*blockLen + chunkLen + 7
	for _, ordered := range []bool{true, false} {
		if !ordered && testing.Short() {
			t.Skip("needs a second: half a million records in another order are read one by one")
		}
		dir := filepath.Join(t.TempDir(), "made", "by", "Spill")
		kept, spilled := &Flows{}, &Flows{}
		spilled.Spill(dir)
		draw := hash.Stream(1, "spill")
		for i := range int64(many) {
			r := FlowRecord{
				ID: i, Src: int32(draw.IntN(100)), Size: 1 + unit.Bytes(draw.IntN(1000)), Start: unit.Time(i),
				FCT: 1 + unit.Time(draw.IntN(1000)), Ideal: 1, Outcome: Estimated,
			}
			if !ordered {
				r.ID = i ^ 1
			}
			kept.Append(r)
			spilled.Append(r)
		}
		if spilled.left != 2*blockLen {
			t.Fatalf("%d records have left memory, want %d", spilled.left, 2*blockLen)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("%d files are there, %v; want none that has a name", len(files), err)
		}
		for _, i := range []int{0, 1, chunkLen, 2*blockLen - 1, 2 * blockLen, many - 1} {
			if *kept.At(i) != *spilled.At(i) {
				t.Errorf("record %d: %+v, want %+v", i, *spilled.At(i), *kept.At(i))
			}
		}
		want, err := kept.Fingerprint()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := spilled.Fingerprint(); err != nil || got != want {
			t.Errorf("fingerprint %s, %v, want %s", got, err, want)
		}
		if !ordered {
			continue
		}
		var a, b bytes.Buffer
		if err := WriteFlowsCSV(&a, kept); err != nil {
			t.Fatal(err)
		}
		if err := WriteFlowsCSV(&b, spilled); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("flows.csv differs: %v", err)
		}
		if spilled.file.Close(); spilled.Err() != nil {
			t.Errorf("error before anything failed: %v", spilled.Err())
		}
		for range spilled.All() {
			t.Fatal("there is a record that cannot be read")
		}
		if spilled.Err() == nil {
			t.Error("no error although the records cannot be read")
		}
	}
}

// TestSpillNowhere checks that records stay complete, and that Err returns an error, if no file can be created.
func TestSpillNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	f := &Flows{}
	f.Spill(file)
	for i := range int64(blockLen + 1) {
		f.Append(FlowRecord{ID: i})
	}
	n := 0
	for range f.All() {
		n++
	}
	if f.Err() == nil || n != blockLen+1 {
		t.Errorf("%d records, error %v; want %d and an error", n, f.Err(), blockLen+1)
	}
}
