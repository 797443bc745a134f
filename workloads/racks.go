package workloads

import (
	"embed"
	"encoding/csv"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"

	"pintlab/internal/number"
	"pintlab/netsim/schema"
	"pintlab/netsim/unit"
)

// RackTraffic is flows between racks. The flows start at random times, possibly in bursts. The traffic between two
// racks follows a matrix measured in a data centre.
type RackTraffic struct {
	// Matrix of a cluster of 32 racks at Meta: database, web or hadoop. Hosts of the web cluster send most traffic to a
	// few racks, and hosts of the Hadoop cluster to their own rack. Fewer racks use the first rows and columns of the
	// matrix, which may omit the hot racks (16, 18, 19 and 31 of web).
	Matrix string `yaml:"matrix" default:"hadoop" oneof:"database|web|hadoop"`
	// Hosts of a rack. A rack has successive host numbers. The last rack may have fewer hosts, but it has the traffic
	// of a full rack.
	RackHosts int `yaml:"rack_hosts" default:"16" range:">=1" draw:"1|2"`
	// Distribution of flow sizes.
	Sizes string `yaml:"sizes" default:"hadoop" oneof:"$laws" draw:"$drawn"`
	// Payload of each flow.
	Size unit.Bytes `yaml:"size" when:"sizes=fixed" default:"1MB" range:">=1B <=1000GB" draw:"3KB|500B"`
	SizeShape
	// Payload rate / link rate of the host that sends or receives most.
	Load float64 `yaml:"load" default:"0.5" range:">0 <1" draw:"0.1|0.2|0.3"`
	// Times between the flows of a host.
	Gaps string `yaml:"gaps" default:"exponential" oneof:"exponential|lognormal"`
	// Standard deviation of the logarithm of these times: 1 is slightly burstier than exponential, 2 much
	// burstier.
	Sigma float64 `yaml:"sigma" when:"gaps=lognormal" default:"1" range:">0 <=4" draw:"1|2"`
	// Flows start in [start, start+duration).
	Duration unit.Time `yaml:"duration" default:"2ms" range:">0s" draw:"5..40us"`
	Beginning
}

func (p *RackTraffic) Check(c *schema.Checker, prefix string, hosts int) {
	p.refuseSizes(c, prefix)
	refuseSpan(c, prefix, p.Start, p.Duration)
	if err := checkRacks(hosts, p.RackHosts); err != nil && hosts > 0 {
		c.Fail(prefix+"rack_hosts", err.Error())
	}
}

func (p *RackTraffic) Span() (start, duration unit.Time) { return p.Start, p.Duration }

// Offered implements Traffic. It returns the largest load of a host.
func (p *RackTraffic) Offered() float64 { return p.Load }

func (p *RackTraffic) Generator(s *Setting) (Generator, error) {
	if err := checkRacks(len(s.Hosts), p.RackHosts); err != nil {
		return nil, fmt.Errorf("rack_hosts = %d: %w", p.RackHosts, err)
	}
	sizes, err := p.named(p.Sizes, p.Size)
	g := Racks{Matrix: Matrix(p.Matrix), Hosts: p.RackHosts, Sizes: sizes, Load: p.Load, Start: p.Start,
		Duration: p.Duration}
	if p.Gaps == "lognormal" {
		g.Sigma = p.Sigma
	}
	return g, err
}

// checkRacks returns an error if there are fewer than two hosts or more racks than a matrix has.
func checkRacks(hosts, per int) error {
	switch {
	case hosts < 2:
		return fmt.Errorf("%s, want at least 2", number.Count(hosts, "host"))
	case (hosts+per-1)/per > racksOfMatrix:
		return fmt.Errorf("%d hosts do not fit into %d racks; want at least %d hosts in each rack",
			hosts, racksOfMatrix, (hosts+racksOfMatrix-1)/racksOfMatrix)
	}
	return nil
}

// racksOfMatrix is the number of racks of the built-in matrices.
const racksOfMatrix = 32

//go:embed matrix/database.csv matrix/web.csv matrix/hadoop.csv
var matrixFiles embed.FS

// Matrix returns a built-in matrix: row i, column j is the traffic from rack i to rack j, in any unit. It
// panics if no matrix has the name.
func Matrix(name string) [][]float64 {
	f, err := matrixFiles.Open("matrix/" + name + ".csv")
	if err != nil {
		panic(err) // the key accepts only existing names
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		panic(err) // the files are embedded
	}
	m := make([][]float64, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			x, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				panic(err)
			}
			m[i] = append(m[i], x)
		}
	}
	return m
}

// Racks starts flows on every host at random instants. A matrix determines their rate and destination rack; the
// destination is any other host of the destination rack.
type Racks struct {
	Matrix [][]float64 // traffic from rack to rack, with at least as many rows and columns as there are racks
	Hosts  int         // hosts of a rack
	Sizes  Sizes
	// Load is payload bits over link rate of the host that sends or receives most: 0 < Load <= 1.
	Load float64
	// Sigma is the standard deviation of the logarithm of the gaps; 0 makes them exponential.
	Sigma float64
	// Flows start in [Start, Start+Duration).
	Start, Duration unit.Time
}

// shares returns the matrix for the racks of the hosts, and the hosts of each rack. A rack with a single
// host sends nothing to itself.
func (g Racks) shares(hosts []Host) (pair [][]float64, racks [][]Host) {
	racks = slices.Collect(slices.Chunk(hosts, g.Hosts))
	pair = make([][]float64, len(racks))
	for i := range racks {
		pair[i] = slices.Clone(g.Matrix[i][:len(racks)])
		if len(racks[i]) == 1 {
			pair[i][i] = 0
		}
	}
	return pair, racks
}

// rates returns the payload rate of a host of each rack in bit/s, and the results of shares.
func (g Racks) rates(hosts []Host) (out []float64, pair [][]float64, racks [][]Host) {
	pair, racks = g.shares(hosts)
	out = make([]float64, len(racks))
	most := 0.0
	for i := range racks {
		in := 0.0
		for j := range racks {
			out[i] += pair[i][j]
			in += pair[j][i]
		}
		n := float64(len(racks[i]))
		out[i] /= n
		slowest := slices.MinFunc(racks[i], func(a, b Host) int { return int(a.Rate - b.Rate) }).Rate
		most = max(most, max(out[i], in/n)/float64(slowest))
	}
	for i := range out {
		out[i] *= g.Load / most
	}
	return out, pair, racks
}

// Demands returns the traffic between hosts in bit/s of payload, as a pair of vectors for each sending rack: host a
// sends from[a] * to[b] to any other host b. Both vectors are indexed by host.
func (g Racks) Demands(hosts []Host) iter.Seq2[[]float64, []float64] {
	return func(yield func(from, to []float64) bool) {
		out, pair, racks := g.rates(hosts)
		for i := range racks {
			sum := 0.0
			for _, x := range pair[i] {
				sum += x
			}
			if sum == 0 {
				continue
			}
			from, to := make([]float64, len(hosts)), make([]float64, len(hosts))
			for h := range hosts {
				j := h / g.Hosts
				others := len(racks[j])
				if j == i {
					from[h] = out[i]
					others--
				}
				if pair[i][j] > 0 {
					to[h] = pair[i][j] / sum / float64(others)
				}
			}
			if !yield(from, to) {
				return
			}
		}
	}
}

func (g Racks) plan(hosts []Host) Plan {
	out, _, racks := g.rates(hosts)
	bytes := 0.0
	for i, list := range racks {
		bytes += out[i] * float64(len(list)) * g.Duration.Seconds() / 8
	}
	return Plan{bytes / g.Sizes.Mean(), bytes, g.Start, g.Start + g.Duration}
}

func (g Racks) open(at site) ([]process, error) {
	errs := []error{checkSizes(g.Sizes), checkLoad(g.Load), checkWindow(g.Start, g.Duration),
		checkRacks(len(at.hosts), g.Hosts)}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	out, pair, racks := g.rates(at.hosts)
	var list []process
	for i, rack := range racks {
		sums := make([]float64, len(racks))
		sum := 0.0
		for j := range racks {
			sum += pair[i][j]
			sums[j] = sum
		}
		for k, h := range rack {
			id := uint64(h.Node)
			if out[i] > 0 {
				h := &rackHost{
					clock: clock{now: g.Start, end: g.Start + g.Duration,
						gap: g.Sizes.Mean() * 8 / out[i] * float64(unit.Second), sigma: g.Sigma,
						random: at.stream("gaps", id)},
					sizes: g.Sizes, racks: racks, sums: sums, rack: i, self: k, dst: at.stream("destinations", id),
					size: at.stream("sizes", id),
				}
				h.settle()
				list = append(list, h)
			}
		}
	}
	if len(list) == 0 {
		return nil, errors.New("the matrix has no traffic between these racks")
	}
	return list, nil
}

// rackHost generates the flows of one host.
type rackHost struct {
	clock
	sizes      Sizes
	racks      [][]Host
	sums       []float64 // cumulative traffic to the racks, in order
	rack, self int       // index of the host's rack, and of the host within it
	dst, size  *rand.Rand
}

func (p *rackHost) next(f *Flow) bool {
	at, ok := p.tick()
	if !ok {
		return false
	}
	x := p.dst.Float64() * p.sums[len(p.sums)-1]
	to, _ := slices.BinarySearchFunc(p.sums, x, func(sum, x float64) int {
		if sum <= x {
			return -1
		}
		return 1
	})
	word := p.dst.Uint64()
	f.Start, f.Src, f.Size = at, p.racks[p.rack][p.self].Node, Draw(p.sizes, p.size)
	if to == p.rack {
		f.Dst = other(p.racks[to], p.self, word)
	} else {
		f.Dst = p.racks[to][below(word, uint64(len(p.racks[to])))].Node
	}
	return true
}
