package scenario

import (
	"regexp"

	"pintlab/netsim/schema"
)

// Problems lists everything wrong with a scenario.
type Problems = schema.Problems

var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Validate returns nil, or a Problems error that lists everything wrong with s. A setting without effect is also wrong.
func (s Scenario) Validate() error { return s.Language.document().Check(&s).Err() }

// rules checks conditions on several keys.
func rules(document any, c *schema.Checker) {
	s := document.(*Scenario)
	c.FailIf(!nameRule.MatchString(s.Name), "name",
		"want 1 to 64 letters, digits, '.', '_' or '-', starting with a letter or a digit")
	s.Topology.check(c)
	s.checkTransport(c)
	s.Telemetry.System().Check(c)
	s.checkCC(c)
	s.checkBalancing(c)
	s.checkMonitors(c)
	s.checkNetwork(c)
	s.checkWorkload(c)
	s.checkRun(c)
	s.checkEstimate(c)
}
