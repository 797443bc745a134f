package sim

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/internal/number"
	"pintlab/netsim"
	"pintlab/netsim/unit"
	"pintlab/transport"
	"pintlab/workloads"
)

// sampler records ports and flows at equal intervals of simulated time. It takes a sample after all events of the
// instant, while the engines are stopped, so sampling does not affect the engines.
type sampler struct {
	cfg   *scenario.Sampling
	at    unit.Time // time of the next look; Never if there is none
	last  unit.Time // time of the previous look; -1 before the first
	step  unit.Time // time between looks
	looks int64

	ports    []sampledPort
	portFile bytes.Buffer
	portRows *store.SeriesWriter[store.PortSample] // nil if ports are not sampled

	flows    flowFilter
	active   []transport.FlowState // active flows at this look, by number
	before   []store.FlowSample    // last rows of the flows that were active at the previous look, by number
	now      []store.FlowSample
	flowFile bytes.Buffer
	flowRows *store.SeriesWriter[store.FlowSample] // nil if flows are not sampled
}

// sampledPort is a port and its last samples.
type sampledPort struct {
	id      netsim.PortID
	carried netsim.Carried   // at the previous look
	earlier netsim.Carried   // at the look before the previous one
	row     store.PortSample // last recorded row
	known   bool             // a row has been recorded
}

// advance runs the engines up to a time and takes the samples due until then.
func (s *Simulation) advance(to unit.Time) error {
	for p := s.sampler; p != nil && p.at <= to; {
		if err := s.runTo(p.at); err != nil {
			return err
		}
		over := s.Engine.Peek() == unit.Never && (s.Stack.Active() == 0 || s.faults.next() == unit.Never)
		if over && p.at > s.Engine.Now() {
			break // the run has ended
		}
		if err := p.sample(s, p.at); err != nil {
			return err
		}
	}
	return s.runTo(to)
}

// sample records the state after all events of the given time, and sets the time of the next look.
func (p *sampler) sample(s *Simulation, now unit.Time) error {
	if most := int64(p.cfg.MaxLooks); most > 0 && p.looks == most && now == p.at {
		if err := p.thin(); err != nil {
			return fmt.Errorf("run.sampling.max_looks: %w", err)
		}
	}
	if err := p.samplePorts(s, now); err != nil {
		return err
	}
	if err := p.sampleFlows(s, now); err != nil {
		return err
	}
	p.looks++
	p.last = now
	if p.at = now + p.step; p.at > p.cfg.To || p.at < now {
		p.at = unit.Never
	}
	return nil
}

func (p *sampler) samplePorts(s *Simulation, now unit.Time) error {
	if p.portRows == nil {
		return nil
	}
	for i := range p.ports {
		x := &p.ports[i]
		row := x.row // keeps the fields that never change
		row.Time = now
		row.Queue, row.Sent, row.Packets = s.Net.PortQueue(x.id), s.Net.PortSent(x.id), s.Net.PortPackets(x.id)
		row.Marks, row.Drops = s.Net.PortMarks(x.id), s.Net.PortDrops(x.id)
		row.Paused = s.Net.PortPaused(x.id)
		row.Pauses, row.PausedTime = s.Net.PortPauses(x.id, now)
		carried := s.Net.PortCarried(x.id, now)
		row.Utilisation = math.NaN()
		if p.last >= 0 {
			row.Utilisation = carried.Use(x.carried, s.Net.PortRate(x.id), now-p.last)
		}
		x.earlier, x.carried = x.carried, carried
		if p.cfg.Rows == "changed" && x.known && samePort(&row, &x.row) {
			continue
		}
		x.row, x.known = row, true
		if err := p.portRows.Append(row); err != nil {
			return p.full(err)
		}
	}
	return nil
}

// thin drops every second look, including the last one, and doubles the time between looks. Counters and
// states do not change; the utilisation of a port becomes the mean of two intervals.
func (p *sampler) thin() error {
	if p.portRows != nil {
		before := make([]float64, len(p.ports)) // utilisation at the previous sample, which is dropped
		i := 0
		err := thinSeries(&store.PortSeries, &p.portRows, &p.portFile, func(r *store.PortSample) bool {
			port := i % len(p.ports)
			look := i / len(p.ports)
			i++
			if look%2 == 0 {
				r.Utilisation = (before[port] + r.Utilisation) / 2
			}
			before[port] = r.Utilisation
			return look%2 == 0
		})
		if err != nil {
			return err
		}
		for i := range p.ports {
			p.ports[i].carried = p.ports[i].earlier
		}
	}
	if p.flowRows != nil {
		keep := func(r *store.FlowSample) bool { return (r.Time-p.cfg.From)/p.step%2 == 0 }
		if err := thinSeries(&store.FlowSeries, &p.flowRows, &p.flowFile, keep); err != nil {
			return err
		}
	}
	p.last -= p.step
	p.looks /= 2
	p.step *= 2
	return nil
}

// thinSeries rewrites a series with the rows for which keep returns true; keep may change rows.
func thinSeries[T any](
	s *store.SeriesFile[T], w **store.SeriesWriter[T], file *bytes.Buffer, keep func(*T) bool,
) error {
	if err := (*w).Close(); err != nil {
		return err
	}
	old := bytes.Clone(file.Bytes())
	file.Reset()
	*w = (*w).Anew(file)
	return s.Read(bytes.NewReader(old), int64(len(old)), s.Parquet(), func(row *T) error {
		if !keep(row) {
			return nil
		}
		return (*w).Append(*row)
	})
}

// samePort reports whether only the time, and the duration of a present pause, have changed.
func samePort(a, b *store.PortSample) bool {
	x, y := *a, *b
	if x.Utilisation != x.Utilisation && y.Utilisation != y.Utilisation {
		x.Utilisation, y.Utilisation = 0, 0
	}
	x.Time, x.PausedTime = y.Time, y.PausedTime
	return x == y
}

func (p *sampler) sampleFlows(s *Simulation, now unit.Time) error {
	if p.flowRows == nil {
		return nil
	}
	p.active = p.active[:0]
	s.Stack.Inspect(func(f transport.FlowState) {
		if f.Number < workloads.FirstUnmeasured && p.flows.wants(f.Number, int32(f.Src), int32(f.Dst)) {
			p.active = append(p.active, f)
		}
	})
	slices.SortFunc(p.active, func(a, b transport.FlowState) int { return cmp.Compare(a.Number, b.Number) })
	p.now = p.now[:0]
	old := p.before
	for i := range p.active {
		f := &p.active[i]
		row := store.FlowSample{
			Time: now, Flow: int64(f.Number), Src: int32(f.Src), Dst: int32(f.Dst),
			Acked: f.Acked, Delivered: f.Delivered, Flight: f.Flight, Window: f.Window, Rate: f.Rate, Load: f.Load,
		}
		if row.Window >= transport.NoWindow {
			row.Window = store.NoWindow
		}
		for len(old) > 0 && old[0].Flow < row.Flow {
			old = old[1:]
		}
		if p.cfg.Rows == "changed" && len(old) > 0 && old[0].Flow == row.Flow && sameFlow(&row, &old[0]) {
			p.now = append(p.now, old[0])
			continue
		}
		p.now = append(p.now, row)
		if err := p.flowRows.Append(row); err != nil {
			return p.full(err)
		}
	}
	p.before, p.now = p.now, p.before
	return nil
}

// sameFlow reports whether only the time has changed.
func sameFlow(a, b *store.FlowSample) bool {
	x, y := *a, *b
	if x.Load != x.Load && y.Load != y.Load {
		x.Load, y.Load = 0, 0
	}
	x.Time = y.Time
	return x == y
}

// full adds advice to the error of a series at its limit.
func (p *sampler) full(err error) error {
	return fmt.Errorf("run.sampling: %w: sample fewer ports or flows, less often (run.sampling.period), "+
		"for a shorter time (run.sampling.from, run.sampling.to) or with run.sampling.rows = changed, "+
		"or raise run.sampling.max_rows", err)
}

// finishSampling takes a last sample at the end of the run and closes the series.
func (s *Simulation) finishSampling(r *Result) error {
	p := s.sampler
	if p == nil {
		return nil
	}
	if at := r.Ended; at > p.last && at >= p.cfg.From && at <= p.cfg.To {
		if err := p.sample(s, at); err != nil {
			return err
		}
	}
	r.Series.looks = p.looks
	if p.portRows != nil {
		if err := p.portRows.Close(); err != nil {
			return err
		}
		r.Series.Ports, r.Series.portRows, r.Series.ports = p.portFile.Bytes(), p.portRows.Rows(), len(p.ports)
	}
	if p.flowRows != nil {
		if err := p.flowRows.Close(); err != nil {
			return err
		}
		r.Series.Flows, r.Series.flowRows = p.flowFile.Bytes(), p.flowRows.Rows()
	}
	return nil
}

// Series are the time series of a run as Parquet files (store.PortSeries, store.FlowSeries). A series is nil if it is
// not sampled.
type Series struct {
	Ports []byte
	Flows []byte

	looks, portRows, flowRows int64
	ports                     int
}

// notes returns a summary of the series for the notes of the run.
func (x *Series) notes() []string {
	var n []string
	if x.Ports != nil {
		n = append(n, fmt.Sprintf("series: %s of %s, %s", number.Count(x.portRows, "row"),
			number.Count(x.ports, "port"), number.Count(x.looks, "sample")))
	}
	if x.Flows != nil {
		n = append(n, fmt.Sprintf("flowseries: %s, %s", number.Count(x.flowRows, "row"),
			number.Count(x.looks, "sample")))
	}
	return n
}

func (x *Series) save(dir *store.Dir, formats []string) error {
	for _, format := range formats {
		if x.Ports != nil {
			if err := saveSeries(dir, &store.PortSeries, x.Ports, format); err != nil {
				return err
			}
		}
		if x.Flows != nil {
			if err := saveSeries(dir, &store.FlowSeries, x.Flows, format); err != nil {
				return err
			}
		}
	}
	return nil
}

func saveSeries[T any](dir *store.Dir, s *store.SeriesFile[T], data []byte, format string) error {
	if format == scenario.FormatParquet {
		return dir.WriteFile(s.Parquet(), func(f *os.File) error {
			_, err := f.Write(data)
			return err
		})
	}
	return dir.WriteFile(s.CSV(), func(f *os.File) error {
		return s.WriteCSV(f, bytes.NewReader(data), int64(len(data)))
	})
}
