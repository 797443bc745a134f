package deploy

import "pintlab/netsim"

// Functions that only tests use.

// U returns the utilisation that the switch stores for a port.
func (s *Switches) U(p netsim.PortID) float64 { return s.load[p].u }
