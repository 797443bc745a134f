//go:build unix

package netsim_test

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that this process has used. Unlike real time, it does not depend on other
// processes.
func cpuTime() (time.Duration, bool) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0, false
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), true
}
