// Package pathtrace measures how many packets it takes until the path of a flow is known:
// Fig. 10 of the PINT paper (§6.3) for any network and any encoding, with PINT, its peers
// and the decoder that knows the network (package trace).
//
// Paths are random shortest paths of a given length. Packets can be lost, overtake each
// other and have identifiers of few bits. Every row says tau, p, bits, and whether a switch
// can compute the encoding. Study.Tune looks for the best tau and p.
package pathtrace
