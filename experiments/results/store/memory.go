package store

import (
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
)

// FreeMemory returns how many more bytes the process can use before memory runs short. This is Linux's MemAvailable, or
// less if the control group of a container or of a cluster job has less memory left. It returns 0 if this is unknown.
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

// memoryGroup describes a control group. dir is its directory. limit and used are the names of the files with its
// memory limit and its memory use. idle is the name of the entry in memory.stat for file pages that the kernel can
// reclaim.
type memoryGroup struct{ dir, limit, used, idle string }

// memoryGroups returns the groups of this process and all their ancestors, because each of these groups has a separate
// limit.
func memoryGroups(root string) []memoryGroup {
	base := filepath.Join(root, "sys/fs/cgroup")
	v2 := memoryGroup{base, "memory.max", "memory.current", "inactive_file"}
	list := []memoryGroup{v2}
	text, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return list
	}
	for line := range strings.Lines(string(text)) {
		// The fields are number, controllers, path; version 2 has number 0 and no controllers.
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) < 3 {
			continue
		}
		g := v2
		if slices.Contains(strings.Split(part[1], ","), "memory") {
			g = memoryGroup{
				filepath.Join(base, "memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
			}
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

// room returns how many bytes a group has left. It returns false if the group has no limit.
func (g memoryGroup) room() (int64, bool) {
	number := func(name string) (int64, bool) {
		data, err := os.ReadFile(filepath.Join(g.dir, name))
		if err != nil {
			return 0, false
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
		return n, err == nil // no limit is written as "max"
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

// UsedMemory returns the number of bytes that the Go runtime has obtained and not released.
func UsedMemory() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}
