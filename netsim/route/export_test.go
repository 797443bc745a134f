package route

// Progress returns how many paths of the present order have been used, and how many it contains.
func (o *Order) Progress() (used, listed int) { return o.used, o.listed }
