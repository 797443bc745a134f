//go:build !unix

package netsim_test

import "time"

func cpuTime() (time.Duration, bool) { return 0, false }
