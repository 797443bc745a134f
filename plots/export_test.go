package plots

// What only tests ask.

// Where is a new table with the rows for which keep is true, in their order.
func (t *Table) Where(keep func(row int) bool) *Table {
	out := &Table{columns: t.columns, data: make([]cells, len(t.columns))}
	for r := range t.rows {
		if !keep(r) {
			continue
		}
		for i := range t.columns {
			d, o := &t.data[i], &out.data[i]
			switch t.columns[i].Kind {
			case String:
				o.text = append(o.text, d.text[r])
			case Int:
				o.whole = append(o.whole, d.whole[r])
			case Float:
				o.real = append(o.real, d.real[r])
			}
		}
		out.rows++
	}
	return out
}
