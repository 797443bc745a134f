package store

import (
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
)

// FreeMemory returns how many bytes the process may still take before the system is short of
// memory: what Linux calls available, or less if a control group has less, as those of
// containers and of jobs on a cluster do. It is 0 where the system does not say.
func FreeMemory() int64 { return freeMemory("/") }

func freeMemory(root string) int64 {
	var free int64
	if data, err := os.ReadFile(filepath.Join(root, "proc/meminfo")); err == nil {
		kib, unit, _ := strings.Cut(field(string(data), "MemAvailable"), " ")
		if n, err := strconv.ParseInt(kib, 10, 64); err == nil && unit == "kB" {
			free = n * 1024
		}
	}
	for _, g := range memoryGroups(root) {
		if n, ok := g.room(); ok && (free == 0 || n < free) {
			free = max(n, 1)
		}
	}
	return free
}

// memoryGroup is a control group: its folder, and the names of what says how much memory
// its processes may have, how much they have, and how much of that are pages of files that
// the kernel gives away when memory is short.
type memoryGroup struct{ dir, limit, used, idle string }

// memoryGroups returns those of this process and all above them: each has a limit of its own.
func memoryGroups(root string) []memoryGroup {
	base := filepath.Join(root, "sys/fs/cgroup")
	v2 := memoryGroup{base, "memory.max", "memory.current", "inactive_file"}
	list := []memoryGroup{v2}
	text, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return list
	}
	for line := range strings.Lines(string(text)) {
		// Number, controllers, path; version 2 has number 0 and no controllers.
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) < 3 {
			continue
		}
		g := v2
		if slices.Contains(strings.Split(part[1], ","), "memory") {
			g = memoryGroup{filepath.Join(base, "memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}
		} else if part[0] != "0" {
			continue
		}
		for name := range strings.SplitSeq(part[2], "/") {
			g.dir = filepath.Join(g.dir, name)
			list = append(list, g)
		}
	}
	return list
}

// room returns how many bytes a group has left; false if it has no limit.
func (g memoryGroup) room() (int64, bool) {
	number := func(name string) (int64, bool) {
		data, err := os.ReadFile(filepath.Join(g.dir, name))
		if err != nil {
			return 0, false
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		return n, err == nil // "max" is no number
	}
	limit, ok := number(g.limit)
	used, known := number(g.used)
	if !ok || !known {
		return 0, false
	}
	stat, _ := os.ReadFile(filepath.Join(g.dir, "memory.stat"))
	for line := range strings.Lines(string(stat)) {
		if value, ok := strings.CutPrefix(line, g.idle+" "); ok {
			if n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64); err == nil {
				used -= min(n, used)
			}
		}
	}
	return limit - used, true
}

// UsedMemory returns how many bytes the Go runtime holds now.
func UsedMemory() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}
