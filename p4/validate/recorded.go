package validate

import (
	"fmt"
	"math"
	"slices"

	"pintlab/netsim/unit"
	"pintlab/p4/fixedpoint"
	"pintlab/pint/approx"
)

// Recording holds the packets that left the ports of switches in a run of the simulator.
type Recording struct {
	Horizon unit.Time // T, a whole number of ticks of a switch's clock
	Ports   []PortTrace
}

// PortTrace holds the packets that left one port.
type PortTrace struct {
	Rate    unit.Rate
	Packets []Departure // in order of time
}

// Departure is a packet of any kind that leaves a port.
type Departure struct {
	At    unit.Time
	Queue unit.Bytes // queue behind the packet
	Size  unit.Bytes // on the wire
}

// Distribution is the distribution of the error of U over the packets of a recording.
type Distribution struct {
	Form string `json:"form"`
	Bits int    `json:"q"`
	// Quantiles holds the quantiles 0, 1/100, …, 1 of the relative error with its sign.
	Quantiles []float64 `json:"quantiles"`
}

// OpRecorded names the operation U in a form, for a recording.
func OpRecorded(f fixedpoint.Form) string { return "U of a run, " + f.String() }

// leastU is the smallest U that has a code in a digest. Errors of smaller values are not visible.
const leastU = 1.0 / 512

// recorded holds the errors of U over a recording. Rows and distributions are for all forms, with tables of 2^q
// entries. The mean error by load and queue is only for forms whose programs use tables of this size.
type recorded struct {
	rows   []ErrorRow
	shapes []Distribution
	cells  []LoadCell
}

func (r *Recording) errors(q int) (recorded, error) {
	var out recorded
	for _, form := range fixedpoint.Forms() {
		var signed []float64
		grid := newErrorGrid()
		row, err := r.Error(fixedpoint.ConfigOf(form, q), func(e, load float64, queue unit.Bytes) {
			signed = append(signed, e)
			grid.add(load, queue, e)
		})
		if err != nil {
			return out, err
		}
		out.rows = append(out.rows, row)
		slices.Sort(signed)
		d := Distribution{Form: form.String(), Bits: q}
		for i := range 101 {
			d.Quantiles = append(d.Quantiles, signed[i*(len(signed)-1)/100])
		}
		out.shapes = append(out.shapes, d)
		if q == form.TableBits() {
			out.cells = append(out.cells, grid.cells(form.String()+", recorded run")...)
		}
	}
	return out, nil
}

// Error returns the error of U over a recording, computed with the arithmetic of c. If each is not nil, Error calls
// it after every packet with the relative error, the part of U that comes from the load, and the queue that causes
// the other part.
func (r *Recording) Error(c fixedpoint.Config, each func(e, load float64, queue unit.Bytes)) (ErrorRow, error) {
	shared, err := fixedpoint.NewShared(c)
	if err != nil {
		return ErrorRow{}, err
	}
	var all sample
	ports := map[unit.Rate]*fixedpoint.Port{} // ports of one rate share tables, because tables take long to make
	for _, p := range r.Ports {
		port := ports[p.Rate]
		if port == nil {
			if port, err = shared.NewPort(p.Rate, r.Horizon); err != nil {
				return ErrorRow{}, err
			}
			ports[p.Rate] = port
		}
		err := p.compare(port, r.Horizon, func(u, exact, load float64, queue unit.Bytes) {
			e := u/exact - 1
			all.add(e)
			if each != nil {
				each(e, load, queue)
			}
		})
		if err != nil {
			return ErrorRow{}, err
		}
	}
	if len(all.size) == 0 {
		return ErrorRow{}, fmt.Errorf("validate: the recording of %d ports has no packet at a load of %v or more",
			len(r.Ports), leastU)
	}
	return all.row(OpRecorded(c.Form), c.TableBits, 0, c.Bytes(c.Form.Chain(), r.Horizon)), nil
}

// compare runs a port's packets through the twin and through float64. It calls use with both values of U. The other
// two arguments are the load and the queue of which the exact value consists.
func (p *PortTrace) compare(
	port *fixedpoint.Port, horizon unit.Time, use func(u, exact, load float64, queue unit.Bytes),
) error {
	link, err := approx.NewLink(p.Rate, horizon)
	if err != nil {
		return err
	}
	bdp := p.Rate.BytesPerSecond() * horizon.Seconds()
	var u, exact, load float64
	for i, d := range p.Packets {
		tau := unit.Never
		if i > 0 {
			tau = d.At - p.Packets[i-1].At
		}
		u = port.Update(u, tau, d.Queue, d.Size)
		exact = link.Update(exact, tau, d.Queue, d.Size)
		load = link.Update(load, tau, 0, d.Size)
		if exact >= leastU {
			use(u, exact, load, unit.Bytes((exact-load)*bdp))
		}
	}
	return nil
}

// errorGrid is the mean error by load and queue, in the cells of loadGrid.
type errorGrid struct {
	sum []float64
	n   []int
}

func newErrorGrid() *errorGrid {
	cells := len(gridLoads) * len(gridQueues)
	return &errorGrid{make([]float64, cells), make([]int, cells)}
}

// add adds an error to the nearest cell. The nearest load has the smallest difference from load. The nearest queue has
// the ratio to queue that is closest to 1.
func (g *errorGrid) add(load float64, queue unit.Bytes, e float64) {
	i, j := 0, 0
	for k := range gridLoads {
		if math.Abs(load-gridLoads[k]) < math.Abs(load-gridLoads[i]) {
			i = k
		}
	}
	for k := 1; k < len(gridQueues); k++ {
		low := max(gridQueues[k-1], gridQueues[1]/10) // for the ratio, an empty queue counts as 10 % of the next size
		if float64(queue)*float64(queue) >= float64(low)*float64(gridQueues[k]) {
			j = k
		}
	}
	at := i*len(gridQueues) + j
	g.sum[at] += e
	g.n[at]++
}

// cells returns the cells with at least ten packets. Fewer would not be enough for a mean.
func (g *errorGrid) cells(form string) []LoadCell {
	var cells []LoadCell
	for i, load := range gridLoads {
		for j, queue := range gridQueues {
			if at := i*len(gridQueues) + j; g.n[at] >= 10 {
				cells = append(cells, LoadCell{form, load, float64(queue), g.sum[at] / float64(g.n[at]), g.n[at]})
			}
		}
	}
	return cells
}
