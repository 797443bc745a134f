package store

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFreeMemory(t *testing.T) {
	const info, groups, v1 = "proc/meminfo", "sys/fs/cgroup/", "sys/fs/cgroup/memory/"
	machine := "MemTotal: 9 kB\nMemAvailable:    1000 kB\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing known", nil, 0},
		{"machine", map[string]string{info: machine}, 1000 * 1024},
		{"group without limit",
			map[string]string{info: machine, groups + "memory.max": "max\n", groups + "memory.current": "5\n"},
			1000 * 1024},
		{"group with less",
			map[string]string{info: machine, groups + "memory.max": "5000\n", groups + "memory.current": "2000\n"},
			3000},
		{"group with more",
			map[string]string{info: "MemAvailable: 1 kB\n", groups + "memory.max": "5000\n",
				groups + "memory.current": "2000\n"}, 1024},
		{"group that is full",
			map[string]string{info: machine, groups + "memory.max": "5000\n", groups + "memory.current": "6000\n"}, 1},
		{"group alone", map[string]string{groups + "memory.max": "5000\n", groups + "memory.current": "2000\n"}, 3000},
		// The use includes cached pages of files, although the kernel frees them when memory is needed.
		{"group that has read files",
			map[string]string{info: machine, groups + "memory.max": "5000\n", groups + "memory.current": "4900\n",
				groups + "memory.stat": "anon 900\ninactive_file 4000\nactive_file 0\n"}, 4100},
		// In a job of a cluster, the limit belongs to the group of the process or to a group between it and the root.
		{"group of a job", map[string]string{info: machine, "proc/self/cgroup": "0::/slurm/job_7/step_0\n",
			groups + "slurm/job_7/memory.max": "700\n", groups + "slurm/job_7/memory.current": "300\n",
			groups + "slurm/job_7/step_0/memory.max": "max\n", groups + "slurm/job_7/step_0/memory.current": "300\n"},
			400},
		{"version 1",
			map[string]string{info: machine, "proc/self/cgroup": "12:cpu,cpuacct:/x\n4:memory:/slurm/job_7\n0::/\n",
				v1 + "memory.limit_in_bytes": "9223372036854771712\n", v1 + "memory.usage_in_bytes": "800\n",
				v1 + "slurm/job_7/memory.limit_in_bytes": "700\n", v1 + "slurm/job_7/memory.usage_in_bytes": "500\n",
				v1 + "slurm/job_7/memory.stat": "inactive_file 1\ntotal_inactive_file 100\n"}, 300},
	} {
		root := t.TempDir()
		for name, text := range c.files {
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
