package netsim

// prefetch asks the processor to bring a packet into its cache. It changes no
// result.
//
//go:noescape
func prefetch(p *Packet)
