package validate

import (
	"math"
	"math/rand/v2"
	"slices"

	"pintlab/internal/hash"
	"pintlab/internal/lists"
	"pintlab/netsim/unit"
	"pintlab/p4"
	"pintlab/p4/fixedpoint"
	"pintlab/pint/approx"
)

// ErrorRow describes the error of an operation of a switch, compared with float64.
type ErrorRow struct {
	Operation string  `json:"operation"`
	Bits      int     `json:"q"`     // tables have 2^q entries
	Mean      float64 `json:"mean"`  // mean absolute value of the relative error; for log2, of the difference
	P99       float64 `json:"p99"`   // 99th percentile
	Max       float64 `json:"max"`   // largest observed
	Bias      float64 `json:"bias"`  // mean of the error with its sign
	Bound     float64 `json:"bound"` // upper bound of Max; 0 without one
	// Memory is the size of the tables in bytes. For U these are the keys, masks and data of all copies that the
	// program has; for other operations the data of one table of each kind.
	Memory int `json:"memory"`
}

// The operations.
const (
	opLog       = "log2"
	opExp       = "2^x on [0,2]"
	opMul       = "product by logarithms"
	opDiv       = "quotient by logarithms"
	opDirectMul = "product by a table of both"
	opDirectDiv = "quotient by a table of both"
	opCode      = "code of U"
	opFactors   = "CDF of a fridge"
)

// opLoad names the operation U in a form, for random packets.
func opLoad(f fixedpoint.Form) string { return "U, " + f.String() }

// sample collects errors.
type sample struct {
	size []float64
	sum  float64
}

func (s *sample) add(e float64) {
	s.size = append(s.size, math.Abs(e))
	s.sum += e
}

func (s *sample) row(op string, q int, bound float64, memory int) ErrorRow {
	slices.Sort(s.size)
	n := len(s.size)
	mean := lists.Sum(s.size, func(e float64) float64 { return e / float64(n) })
	return ErrorRow{op, q, mean, s.size[(n*99-1)/100], s.size[n-1], s.sum / float64(n), bound, memory}
}

// anyMagnitude returns a number with 1 to bits bits. All lengths in bits are equally likely.
func anyMagnitude(r *rand.Rand, bits uint) uint32 {
	return uint32(r.Uint64()>>(64-1-r.UintN(bits))) | 1
}

// operandBits gives the range of the operands of products and quotients: 2^operandBits up to twice as much.
const operandBits = 15

// arithmeticErrors measures the operations with tables of 2^q entries on n random arguments each.
func arithmeticErrors(q, n int, seed uint64) ([]ErrorRow, error) {
	t, err := fixedpoint.NewTables(q)
	if err != nil {
		return nil, err
	}
	logBytes, expBytes := t.Bytes()
	both := logBytes + expBytes
	e := math.Pow(2, -float64(q))
	r := hash.Stream(seed, "p4/validate/errors")
	var l, x, mul, div sample
	for range n {
		a, b := anyMagnitude(r, 32), anyMagnitude(r, 16)
		l.add(t.Log2(uint64(a)).Real() - math.Log2(float64(a)))
		arg := fixedpoint.Log(r.Uint32N(2 << fixedpoint.LogBits))
		x.add(float64(t.Exp2(arg, 30))/(1<<30)/math.Exp2(arg.Real()) - 1)
		// The operands are large enough that rounding to an integer does not matter.
		c := 1<<operandBits | b>>1
		d := 1<<operandBits | r.Uint32N(1<<operandBits)
		mul.add(float64(t.Mul(c, d))/(float64(c)*float64(d)) - 1)
		div.add(float64(t.Div(c, d, 20))/(1<<20)/(float64(c)/float64(d)) - 1)
	}
	const unitOfLog = 1.0 / (1 << fixedpoint.LogBits)
	rows := []ErrorRow{
		l.row(opLog, q, 1.4427*e+unitOfLog, logBytes),
		x.row(opExp, q, 1-math.Exp2(-e)+1e-8, expBytes),
		mul.row(opMul, q, 1-math.Exp2(-3.8854*e-1e-5), both),
		div.row(opDiv, q, math.Exp2(2.4427*e+1e-5)-1, both),
	}
	if q%2 == 0 {
		direct, err := directErrors(q, n, seed)
		if err != nil {
			return nil, err
		}
		rows = append(rows, direct...)
	}
	code, err := codeErrors(q, n, seed)
	if err != nil {
		return nil, err
	}
	rows = append(rows, code)
	for _, form := range fixedpoint.Forms() {
		row, err := loadErrors(form, q, n, seed)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// directErrors returns the errors of a product and a quotient by one table of both operands, the alternative in
// appendix C.
func directErrors(q, n int, seed uint64) ([]ErrorRow, error) {
	d, err := fixedpoint.NewDirect(q)
	if err != nil {
		return nil, err
	}
	r := hash.Stream(seed, "p4/validate/direct")
	var mul, div sample
	for range n {
		a, b := 1<<operandBits|r.Uint32N(1<<operandBits), 1<<operandBits|r.Uint32N(1<<operandBits)
		mul.add(float64(d.Mul(a, b))/(float64(a)*float64(b)) - 1)
		div.add(float64(d.Div(a, b, 20))/(1<<20)/(float64(a)/float64(b)) - 1)
	}
	half := math.Pow(2, -float64(q/2-1))
	return []ErrorRow{
		mul.row(opDirectMul, q, 1-1/(1+half)/(1+half)+1e-6, d.Bytes()),
		div.row(opDirectDiv, q, half+1e-5, d.Bytes()),
	}, nil
}

// codeErrors returns the errors of the table of the code alone. The table's code is averaged over the 256 random
// numbers, and the value of the mean code is compared with U.
func codeErrors(q, n int, seed uint64) (ErrorRow, error) {
	c := fixedpoint.ConfigOf(fixedpoint.AppendixB, q)
	e, err := c.Encoder()
	if err != nil {
		return ErrorRow{}, err
	}
	r := hash.Stream(seed, "p4/validate/code")
	var s sample
	for range min(n, 20_000) {
		x := uint32(1<<13) << r.UintN(18) // up to U = 256
		x += r.Uint32N(x)
		mean := 0.0
		for dice := range uint32(256) {
			mean += float64(e.Encode(x, dice)) / 256
		}
		s.add(math.Pow(c.Base, mean)/512/fixedpoint.Utilization.Value(x) - 1)
	}
	bits := c.CodeTableBits()
	// The bound is half a cell of the table plus two steps of the 8 fractional bits of the code.
	bound := (1+math.Pow(2, -float64(bits)-1))*math.Pow(c.Base, 1.0/128) - 1
	return s.row(opCode, q, bound, 4*len(e.Prefixes())), nil
}

// loadErrors returns the errors of U at a port of 100 Gb/s with the packets of burstyPort.
func loadErrors(form fixedpoint.Form, q, n int, seed uint64) (ErrorRow, error) {
	shared, err := fixedpoint.NewShared(fixedpoint.ConfigOf(form, q))
	if err != nil {
		return ErrorRow{}, err
	}
	port, err := shared.NewPort(p4.Rate, p4.Horizon)
	if err != nil {
		return ErrorRow{}, err
	}
	link, err := approx.NewLink(p4.Rate, p4.Horizon)
	if err != nil {
		return ErrorRow{}, err
	}
	var s sample
	u, exact := 0.0, 0.0
	burstyPort(n, seed, func(tau unit.Time, queue, size unit.Bytes) {
		u = port.Update(u, tau, queue, size)
		exact = link.Update(exact, tau, queue, size)
		s.add(u/exact - 1)
	})
	return s.row(opLoad(form), q, 0, shared.Config().Bytes(form.Chain(), p4.Horizon)), nil
}

// burstyPort calls use for n packets that leave a port of 100 Gb/s. They are bursts of data packets and
// acknowledgements, and the lengths of bursts are random. Every thousand packets the load changes to a random value
// between a tenth and the whole rate of the link.
func burstyPort(n int, seed uint64, use func(tau unit.Time, queue, size unit.Bytes)) {
	r := hash.Stream(seed, "p4/validate/port")
	var arrival, free, last unit.Time // times: next arrival; when the port becomes free; last departure
	var backlog []unit.Time           // departures of the packets in the port
	load, burst := 0.5, 0
	for i := range n {
		if i%1000 == 0 {
			load = 0.1 + 0.9*r.Float64()
		}
		size := unit.Bytes(1048)
		if r.UintN(4) == 0 {
			size = 64
		}
		if burst == 0 {
			burst = 1 + r.IntN(32)
			mean := float64(p4.Rate.TxTime(860)) * float64(burst) / load
			arrival += unit.Time(mean * -math.Log(1-r.Float64()))
		}
		burst--
		free = max(free, arrival) + p4.Rate.TxTime(size)
		for len(backlog) > 0 && backlog[0] <= arrival {
			backlog = backlog[1:]
		}
		queue := unit.Bytes(len(backlog)) * 860
		backlog = append(backlog, free)
		tau := unit.Never
		if i > 0 {
			tau = free - last
		}
		last = free
		use(tau, queue, size)
	}
}

// LoadCell is the error of U at a constant load and queue.
type LoadCell struct {
	Form  string  `json:"form"`  // "decrement"; "decrement, recorded run"
	Load  float64 `json:"load"`  // load of the link
	Queue float64 `json:"queue"` // bytes
	Error float64 `json:"error"` // error of the mean U, relative
	// Packets is the number of packets of a recorded run over which Error is the mean; 0 at constant load.
	Packets int `json:"packets"`
}

// The grid of loadGrid.
var (
	gridLoads  = []float64{0.1, 0.3, 0.5, 0.7, 0.9, 1}
	gridQueues = []unit.Bytes{0, 1_000, 10_000, 50_000, 200_000, 1_000_000}
)

// loadGrid returns the error of U by load and queue, with the tables of the programs. Packets of 1048 B come at
// equal intervals, and the error is taken after U has settled.
func loadGrid(rate unit.Rate) ([]LoadCell, error) {
	var cells []LoadCell
	for _, form := range fixedpoint.Forms() {
		shared, err := fixedpoint.NewShared(fixedpoint.ConfigOf(form, form.TableBits()))
		if err != nil {
			return nil, err
		}
		port, err := shared.NewPort(rate, p4.Horizon)
		if err != nil {
			return nil, err
		}
		link, err := approx.NewLink(rate, p4.Horizon)
		if err != nil {
			return nil, err
		}
		for _, load := range gridLoads {
			for _, queue := range gridQueues {
				tau := unit.Time(float64(rate.TxTime(1048)) / load)
				var u, exact, sum, want float64
				for i := range 12_000 {
					u = port.Update(u, tau, queue, 1048)
					exact = link.Update(exact, tau, queue, 1048)
					if i >= 8000 {
						sum, want = sum+u, want+exact
					}
				}
				cells = append(cells, LoadCell{form.String(), load, float64(queue), sum/want - 1, 0})
			}
		}
	}
	return cells, nil
}
