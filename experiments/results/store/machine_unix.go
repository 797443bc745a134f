//go:build unix

package store

import (
	"runtime"
	"syscall"
	"time"
)

func usage() Usage {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return Usage{}
	}
	peak := int64(r.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		peak *= 1024 // all other systems report KiB
	}
	cpu := time.Duration(r.Utime.Nano() + r.Stime.Nano())
	return Usage{CPUSeconds: cpu.Seconds(), PeakMemory: peak}
}
