package random

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"pintlab/experiments/internal/figures"
	"pintlab/experiments/internal/show"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/store"
	"pintlab/internal/input"
	"pintlab/plots"
)

// notNumbers matches the words that a text shows in place of a missing or wrong number.
var notNumbers = regexp.MustCompile(`\b(NaN|Inf|undefined|null)\b|%!`)

// shows checks that a text contains only valid numbers.
func (s *stored) shows(what string, text []byte) {
	if at := notNumbers.FindIndex(text); at != nil {
		s.wrong("%s has %q", what, text[max(0, at[0]-40):min(len(text), at[1]+40)])
	}
}

// drawn checks the text of drawings.
func (s *stored) drawn(files []string) error {
	for _, name := range files {
		text, err := input.ReadFile(name, input.Map)
		if err != nil {
			return err
		}
		s.shows(filepath.Base(name), text)
	}
	return nil
}

// report checks the rows of the report, and that its page can be written.
func (s *stored) report() error {
	p, err := figures.Page(s.r.Scenario.Language, []string{s.dir}, s.scratch)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return err
	}
	s.shows("the page", regexp.MustCompile(`(?s)<script.*?</script>`).ReplaceAll(b.Bytes(), nil))
	d, err := show.OpenRuns(s.r.Scenario.Language, []string{s.dir})
	if err != nil {
		return err
	}
	rows, err := columns.Decode[show.RunRow](d.Rows())
	if err != nil {
		return err
	}
	counted, err := s.run.Counted()
	if err != nil {
		return err
	}
	var seconds, slow []float64
	for f := range counted.All() {
		if f.Outcome.Timed() {
			seconds, slow = append(seconds, f.FCT.Seconds()), append(slow, f.Slowdown())
		}
	}
	slices.Sort(seconds)
	slices.Sort(slow)
	for _, r := range rows {
		of := map[bool][]float64{true: seconds, false: slow}[strings.HasSuffix(r.Measure, "FCT")]
		var percent int
		if _, err := fmt.Sscanf(r.Measure, "p%d", &percent); r.Table != "summary" || err != nil {
			continue
		}
		want := math.NaN()
		if len(of) > 0 {
			want = columns.Round(of[(percent*len(of)+99)/100-1])
		}
		equal(s, "number of flows", r.Flows, len(of))
		equal(s, r.Measure, r.Value, want)
	}
	return nil
}

func (s *stored) plot() error {
	d, err := figures.Stored(s.r.Scenario.Language, []string{s.dir}, "")
	if err != nil {
		return err
	}
	d.Options.Formats = []string{"svg"}
	files, err := d.Draw(s.scratch)
	if err != nil {
		return err
	}
	counted, err := s.run.Counted()
	if err != nil {
		return err
	}
	for f := range counted.All() {
		if f.Outcome.Timed() && len(files) == 0 {
			s.wrong("nothing is drawn: %q", d.Manifest.Notes)
			break
		}
	}
	return s.drawn(files)
}

func (s *stored) notebook() error {
	name, err := show.WriteNotebook(s.dir, filepath.Join(s.scratch, show.NotebookFile))
	if err != nil {
		return err
	}
	text, err := input.ReadFile(name, input.Map)
	if err != nil {
		return err
	}
	var document struct{ Cells []any }
	if err := json.Unmarshal(text, &document); err != nil {
		return err
	}
	if len(document.Cells) == 0 {
		s.wrong("no cells")
	}
	return nil
}

// summary checks the numbers of layers and ports that the command series shows against the samples.
func (s *stored) summary() error {
	if s.ports == nil && s.samples == nil {
		return nil
	}
	shown, views, err := show.AllSeries([]string{s.dir}, show.SeriesOptions{Language: s.r.Scenario.Language})
	if err != nil {
		return err
	}
	if _, err := shown.Tables(); err != nil {
		return err
	}
	if _, err := shown.Rows(); err != nil {
		return err
	}
	for _, d := range shown.Drawings() {
		files, err := plots.SaveAll(&d.Plot, filepath.Join(s.scratch, d.Name), "svg")
		if err != nil {
			return err
		}
		if err := s.drawn(files); err != nil {
			return err
		}
	}
	if _, err := json.Marshal(views[0]); err != nil {
		return err // the value is not a number
	}
	marks, drops, longest := map[string]int64{}, map[string]int64{}, map[string]float64{}
	first := map[port]*store.PortSample{}
	for i := range s.ports {
		x := &s.ports[i]
		if at := (port{x.Node, x.Peer}); first[at] == nil {
			first[at] = x
		}
		longest[x.Layer] = max(longest[x.Layer], float64(x.Queue))
	}
	for at, x := range s.final() {
		marks[x.Layer] += x.Marks - first[at].Marks
		drops[x.Layer] += x.Drops - first[at].Drops
	}
	for _, l := range views[0].Layers {
		equal(s, "marks of "+l.Layer, l.Marks, marks[l.Layer])
		equal(s, "drops of "+l.Layer, l.Drops, drops[l.Layer])
		if l.Queue != nil {
			equal(s, "longest queue of "+l.Layer, l.Queue.Max, columns.Round(longest[l.Layer]))
		}
		if u := l.Utilisation; u != nil && (u.Min < 0 || u.Max > s.most()) || l.Paused < 0 || l.MostPaused > 1 {
			s.wrong("layer %s is %v in use, and paused for %v of the time, one port for %v", l.Layer, u, l.Paused,
				l.MostPaused)
		}
	}
	return nil
}

// trace checks the slices of flows in the trace for Perfetto.
func (s *stored) trace() error {
	if s.ports == nil && s.samples == nil {
		return nil
	}
	var b bytes.Buffer
	done, err := show.WriteTrace(&b, s.dir, show.SeriesOptions{Language: s.r.Scenario.Language})
	if err != nil {
		return err
	}
	var trace struct {
		Events []struct {
			Phase    string  `json:"ph"`
			Category string  `json:"cat"`
			Process  int32   `json:"pid"`
			Time     float64 `json:"ts"`
			Duration float64 `json:"dur"`
			Name     string  `json:"name"`
			Args     struct{ Outcome string }
		} `json:"traceEvents"`
	}
	if err := json.Unmarshal(b.Bytes(), &trace); err != nil {
		return err
	}
	n := map[string]int64{}
	flows := map[int64]bool{}
	records := s.byID()
	for _, e := range trace.Events {
		n[e.Phase]++
		if e.Category != "flow" {
			continue
		}
		var id int64
		if _, err := fmt.Sscanf(e.Name, "flow %d to", &id); err != nil || records[id] == nil || flows[id] {
			s.wrong("a slice is of %q", e.Name)
			continue
		}
		flows[id] = true
		f := records[id]
		equal(s, e.Name+": source", e.Process, f.Src)
		equal(s, e.Name+": start", math.Round(e.Time*1e6), float64(f.Start))
		if f.Outcome == store.Finished {
			equal(s, e.Name+": duration", math.Round(e.Duration*1e6), float64(f.FCT))
		}
	}
	equal(s, "number of flows", len(flows), len(s.flows))
	equal(s, "number of slices", n["X"], done.Slices)
	equal(s, "number of samples", n["C"], done.Samples)
	equal(s, "number of instants", n["i"], done.Instants)
	return nil
}

// page checks the data of the page of view.
func (s *stored) page() error {
	if s.ports == nil && s.samples == nil {
		return nil
	}
	name := filepath.Join(s.scratch, show.PageFile)
	done, err := show.WritePage(s.r.Scenario.Language, s.dir, name)
	if err != nil {
		return err
	}
	text, err := input.ReadFile(name, input.Map)
	if err != nil {
		return err
	}
	data, err := unpack(text)
	if err != nil {
		return err
	}
	// Only series and curves may be null. The script of the page reads everything else without a check.
	at := regexp.MustCompile(
		`"(links|ports|paths|flows|faults|notes|nodes|layers|seen|under|classes|peaks)":null`).Find(data)
	if at != nil {
		s.wrong("the page has %s", at)
	}
	var p show.Page
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	equal(s, "number of flows", p.AllFlows, len(s.flows))
	equal(s, "number of shown flows", len(p.Flows), done.Flows)
	equal(s, "number of links", len(p.Links), len(s.wiring.Graph.Links))
	records := s.byID()
	for _, x := range p.Flows {
		f := records[int64(x.ID)]
		got := []any{x.Src, x.Dst, x.Size, x.Start, x.Outcome, x.Packets, x.Again, x.Timeouts}
		want := []any{
			f.Src, f.Dst, float64(f.Size), f.Start.Seconds(), f.Outcome, f.Packets, f.Retransmitted, f.Timeouts,
		}
		equal(s, fmt.Sprintf("flow %d", x.ID), fmt.Sprintln(got...), fmt.Sprintln(want...))
		if f.Outcome == store.Finished {
			equal(s, fmt.Sprintf("end of flow %d", x.ID), x.End, (f.Start + f.FCT).Seconds())
		}
	}
	s.planes(&p)
	return nil
}

// planes checks the largest values and the sums of the series of a page.
func (s *stored) planes(p *show.Page) {
	queue, busy := map[port]float64{}, map[port]float64{}
	for i := range s.ports {
		x := &s.ports[i]
		at := port{x.Node, x.Peer}
		queue[at], busy[at] = max(queue[at], float64(x.Queue)), max(busy[at], x.Utilisation)
	}
	final := s.final()
	for i := range 2 * len(p.Links) {
		at := port{int32(p.Links[i/2].A), int32(p.Links[i/2].B)}
		if i%2 == 1 {
			at[0], at[1] = at[1], at[0]
		}
		last := final[at]
		equal(s, "whether port "+at.String()+" was sampled", p.Seen[i], last != nil)
		if last == nil {
			continue
		}
		value := func(x *show.PageSeries, of func(*show.PageSeries) []float64) float64 {
			if x == nil {
				return 0
			}
			return of(x)[i]
		}
		peak := func(x *show.PageSeries) []float64 { return x.Peaks }
		sum := func(x *show.PageSeries) []float64 { return x.Sums }
		equal(s, "longest queue of port "+at.String(), value(p.Queue, peak), queue[at])
		equal(s, "drops of port "+at.String(), value(p.Drops, sum), float64(last.Drops))
		equal(s, "marks of port "+at.String(), value(p.Marks, sum), float64(last.Marks))
		if got := value(p.Busy, peak); got > s.most()+1e-6 { // the page stores the value with 32 bits
			s.wrong("port %v is %v in use", at, got)
		}
		if got := value(p.Paused, peak); got > 1+1e-6 {
			s.wrong("port %v is paused for %v of the time", at, got)
		}
	}
}

// unpack returns the JSON text that a page contains in compressed form.
func unpack(text []byte) ([]byte, error) {
	data := regexp.MustCompile(`id="data">([^<]*)</script>`).FindSubmatch(text)
	if data == nil {
		return nil, fmt.Errorf("the page has no data")
	}
	packed, err := base64.StdEncoding.DecodeString(string(data[1]))
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		return nil, err
	}
	if len(all) < 4 || uint64(len(all)-4) < uint64(binary.LittleEndian.Uint32(all)) {
		return nil, fmt.Errorf("%d bytes of data", len(all))
	}
	return all[4 : 4+binary.LittleEndian.Uint32(all)], nil
}
