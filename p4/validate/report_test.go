package validate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestRunAndSave(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // without BMv2, which TestRealSwitch runs
	p, err := Find("hpcc_util.p4")
	if err != nil {
		t.Fatal(err)
	}
	said := 0
	r, err := Run(t.Context(),
		Options{Programs: []Program{p}, Packets: 500, Samples: 2000, Seed: 1, Progress: func(share float64, _ string) {
			if said++; share < 0 || share >= 1 {
				t.Errorf("share %v", share)
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Equal) != 1 || r.Equal[0].Packets != 500 || said < 10 {
		t.Errorf("equal: %+v; %d reports of progress", r.Equal, said)
	}
	dir := filepath.Join(t.TempDir(), "validate")
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"errors.csv", "loads.csv", "factors.csv", "errors.svg", "curves.png", "loads.png"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Options{Programs: []Program{p}, Packets: 500}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run returns %v", err)
	}
	if _, err := Find("hpcc"); err == nil {
		t.Error("a program that does not exist is found")
	}
}
