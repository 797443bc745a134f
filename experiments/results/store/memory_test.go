package store

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFreeMemory(t *testing.T) {
	for _, c := range []struct {
		name, info, max, current string
		want                     int64
	}{
		{"nothing known", "", "", "", 0},
		{"machine", "MemTotal: 9 kB\nMemAvailable:    1000 kB\n", "", "", 1000 * 1024},
		{"group without limit", "MemAvailable: 1000 kB\n", "max\n", "5\n", 1000 * 1024},
		{"group with less", "MemAvailable: 1000 kB\n", "5000\n", "2000\n", 3000},
		{"group with more", "MemAvailable: 1 kB\n", "5000\n", "2000\n", 1024},
		{"group that is full", "MemAvailable: 1000 kB\n", "5000\n", "6000\n", 1},
		{"group alone", "", "5000\n", "2000\n", 3000},
	} {
		root := t.TempDir()
		for name, text := range map[string]string{"proc/meminfo": c.info, "sys/fs/cgroup/memory.max": c.max, "sys/fs/cgroup/memory.current": c.current} {
			if text == "" {
				continue
			}
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := freeMemory(root); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	if used := UsedMemory(); used < 1<<20 {
		t.Errorf("%d bytes in use", used)
	}
}
