package workloads

import (
	"embed"
	"fmt"
	"sync"
)

//go:embed cdf/websearch.txt cdf/hadoop.txt cdf/webserver.txt cdf/cachefollower.txt
var cdfFiles embed.FS

// WebSearch returns the flow-size distribution of a web-search cluster, measured for
// DCTCP (SIGCOMM 2010); mean 1 711 250 B. See cdf/SOURCES.md.
func WebSearch() *CDF { return webSearch() }

// Hadoop returns the flow-size distribution of a Hadoop cluster at Facebook, measured by
// Roy et al. (SIGCOMM 2015); mean 120 420.75 B. See cdf/SOURCES.md.
func Hadoop() *CDF { return hadoop() }

// A CDF is immutable, so each file is read once.
var (
	webSearch = sync.OnceValue(func() *CDF { return builtin("websearch") })
	hadoop    = sync.OnceValue(func() *CDF { return builtin("hadoop") })
)

// builtin reads an embedded file. It panics if the file is bad; a test checks that no file is bad.
func builtin(name string) *CDF {
	f, err := cdfFiles.Open("cdf/" + name + ".txt")
	if err != nil {
		panic(fmt.Sprintf("workloads: embedded distribution: %v", err))
	}
	defer f.Close()
	c, err := ReadCDF(f, name)
	if err != nil {
		panic(fmt.Sprintf("workloads: embedded distribution: %v", err))
	}
	return c
}
