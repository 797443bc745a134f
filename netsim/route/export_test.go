package route

// Progress returns how many paths have come in the present order, and how many it has.
func (o *Order) Progress() (used, listed int) { return o.used, o.listed }
