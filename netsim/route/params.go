package route

// ECMPParams sets how a switch chooses among equally short paths; a flow keeps its path.
type ECMPParams struct {
	// Hash of the 5-tuple with a salt per switch; murmur: the hash of the published simulator.
	Hash string `yaml:"hash" default:"mix" oneof:"mix|murmur"`
	// Order of the candidate next hops, by node number; `descending` is the order in which a search
	// from the destination finds them in the published simulator.
	Order string `yaml:"order" default:"ascending" oneof:"ascending|descending"`
}

// Options returns the options of a routing table for a run.
func (p ECMPParams) Options(seed uint64) (Options, error) {
	o := Options{Seed: seed}
	if err := o.Hash.UnmarshalText([]byte(p.Hash)); err != nil {
		return o, err
	}
	return o, o.Order.UnmarshalText([]byte(p.Order))
}
