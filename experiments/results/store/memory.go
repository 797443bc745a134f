package store

import (
	"os"
	"path/filepath"
	"runtime/metrics"
	"strconv"
	"strings"
)

// FreeMemory is how many bytes the process may still take before the system is short of
// memory: what Linux calls available, or less if a control group has less. It is 0 where
// the system does not say.
func FreeMemory() int64 { return freeMemory("/") }

func freeMemory(root string) int64 {
	var free int64
	if data, err := os.ReadFile(filepath.Join(root, "proc/meminfo")); err == nil {
		kib, unit, _ := strings.Cut(field(string(data), "MemAvailable"), " ")
		if n, err := strconv.ParseInt(kib, 10, 64); err == nil && unit == "kB" {
			free = n * 1024
		}
	}
	number := func(name string) (int64, bool) {
		data, err := os.ReadFile(filepath.Join(root, "sys/fs/cgroup", name))
		if err != nil {
			return 0, false
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		return n, err == nil // "max" is no number
	}
	if limit, ok := number("memory.max"); ok {
		if used, ok := number("memory.current"); ok && (free == 0 || limit-used < free) {
			free = max(limit-used, 1)
		}
	}
	return free
}

// UsedMemory is how many bytes the Go runtime holds now.
func UsedMemory() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}
