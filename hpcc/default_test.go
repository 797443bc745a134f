package hpcc_test

import (
	"pintlab/hpcc"
	"pintlab/internal/schema"
)

// defaults is the configuration that a scenario has without a word about it.
func defaults() hpcc.Config {
	var p hpcc.Params
	(&schema.Language{}).Default(&p)
	return p.Config(nil)
}
