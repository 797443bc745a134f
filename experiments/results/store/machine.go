package store

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"

	"pintlab/internal/outfile"
)

// unknown is the value of strings that are not known.
const unknown = "unknown"

// Program is the program that ran.
type Program struct {
	Version  string `json:"version"`  // version of the module; "unknown" if it was not recorded
	Revision string `json:"revision"` // revision of the source; "unknown" if it was not recorded
	Time     string `json:"time"`     // time of the revision, RFC 3339 in UTC; "unknown" if it was not recorded
	Modified bool   `json:"modified"` // whether the source differed from the revision
	Go       string `json:"go"`       // version of the toolchain
	// digest of the build ID of the executable, or of the executable if it has none; it distinguishes builds without a
	// recorded revision; "unknown" if it cannot be read
	Build string `json:"build"`
}

// ThisProgram describes the running program, with a digest of its executable.
func ThisProgram() Program {
	p := ThisSource()
	p.Build = build()
	return p
}

// ThisSource describes the source of the running program; Build stays empty. Values that the build did not
// record are "unknown".
func ThisSource() Program {
	p := Program{Version: unknown, Revision: unknown, Time: unknown, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return p
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		p.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			p.Revision = s.Value
		case "vcs.time":
			p.Time = s.Value
		case "vcs.modified":
			p.Modified = s.Value == "true"
		}
	}
	return p
}

// build returns the first 16 hexadecimal digits of the SHA-256 of the executable's build ID, which the linker derives
// from the executable's content. If there is no build ID, it returns digits of the SHA-256 of the whole executable.
// Equal sources and toolchains produce equal executables.
var build = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return unknown
	}
	f, err := os.Open(path)
	if err != nil {
		return unknown
	}
	defer f.Close()
	h := sha256.New()
	if id := buildID(f); len(id) > 0 { // reading the whole executable takes as long as a short run
		h.Write(id)
	} else if _, err := io.Copy(h, f); err != nil {
		return unknown
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
})

// buildID returns the note of an ELF executable with the build ID, or nil.
func buildID(f io.ReaderAt) []byte {
	e, err := elf.NewFile(f)
	if err != nil {
		return nil
	}
	note := e.Section(".note.go.buildid")
	if note == nil {
		return nil
	}
	id, err := note.Data()
	if err != nil {
		return nil
	}
	return id
}

// MadeHere reports whether build is the build of the running program. It returns false for an unknown build.
func MadeHere(build string) bool { return same(build, ThisProgram().Build) }

func same(a, b string) bool { return a == b && a != unknown }

// Machine is the machine on which a program ran.
type Machine struct {
	Host      string `json:"host"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	Processor string `json:"processor"` // model; empty if the system does not report it
	Cores     int    `json:"cores"`     // number of cores that the program may use
}

// ThisMachine describes the machine.
func ThisMachine() Machine {
	return Machine{
		Host: outfile.Hostname(), OS: runtime.GOOS, Arch: runtime.GOARCH, Processor: processor(),
		Cores: runtime.NumCPU(),
	}
}

// processor returns the model name of the processor on Linux, "" elsewhere.
func processor() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	return field(string(data), "model name")
}

// Usage is the CPU time and memory that the process has used.
type Usage struct {
	CPUSeconds float64 // user + system
	PeakMemory int64   // largest resident size in bytes; 0 if unknown
}

// ThisUsage returns the usage of the whole process so far.
func ThisUsage() Usage {
	u := usage()
	// On Linux, rusage of a new program includes the peak of its parent; VmHWM does not.
	if data, err := os.ReadFile("/proc/self/status"); err == nil {
		kib, unit, _ := strings.Cut(field(string(data), "VmHWM"), " ")
		if n, err := strconv.ParseInt(kib, 10, 64); err == nil && unit == "kB" {
			u.PeakMemory = n * 1024
		}
	}
	return u
}

// field returns the value of the first line "key : value".
func field(text, key string) string {
	for line := range strings.Lines(text) {
		k, v, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
