package route

// ECMPParams is how a switch chooses among equally short paths; a flow keeps its path.
type ECMPParams struct {
	// Hash of the 5-tuple with a salt per switch; murmur: that of the published simulator.
	Hash string `yaml:"hash" default:"mix" oneof:"mix|murmur"`
	// Order of the candidate next hops, by node number; `descending` is that of the published
	// simulator, in which a search from the destination finds them.
	Order string `yaml:"order" default:"ascending" oneof:"ascending|descending"`
}

// Options returns the choices of a table for a run.
func (p ECMPParams) Options(seed uint64) (Options, error) {
	o := Options{Seed: seed}
	if err := o.Hash.UnmarshalText([]byte(p.Hash)); err != nil {
		return o, err
	}
	return o, o.Order.UnmarshalText([]byte(p.Order))
}
