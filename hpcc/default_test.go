package hpcc_test

import (
	"pintlab/hpcc"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// defaults returns the configuration of a scenario without HPCC keys, with the T and W_AI of PINT §6.1.
func defaults() hpcc.Config {
	var p hpcc.Params
	(&schema.Language{}).Default(&p)
	p.T, p.WAI = 13*unit.Microsecond, 80
	return p.Config(nil)
}
