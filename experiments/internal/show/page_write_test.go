package show

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pintlab/experiments/results/store"
	"pintlab/experiments/scenario"
	"pintlab/experiments/sim"
	"pintlab/internal/errtest"
)

// busy is a network with an incast, drops and a link that breaks and is repaired.
const busy = `
name: busy
topology: {kind: leafspine, leaves: 4, spines: 2, hosts_per_leaf: 6, host_rate: 100Gbps, fabric_rate: 100Gbps}
workload:
  - {kind: poisson, sizes: hadoop, load: 0.4, duration: 200us}
  - {kind: incast, senders: 12, receiver: 2, size: 100KB, start: 50us}
network: {buffer: 100KB, pfc: {enabled: false}, ecn: {enabled: true}}
transport: {kind: newreno, rto_min: 200us, rto_initial: 200us}
cc: {kind: dctcp}
telemetry: {kind: none}
faults:
  - {kind: link-down, a: 25, b: 29, at: 80us, until: 200us}
`

// record runs a scenario and returns its directory.
func record(t *testing.T, text string, set ...string) string {
	t.Helper()
	sc, err := scenario.Parse([]byte(text), "test")
	if err != nil {
		t.Fatal(err)
	}
	if sc, err = sc.With(set...); err != nil {
		t.Fatal(err)
	}
	r, err := sim.Run(context.Background(), sc, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := sim.Save(r, t.TempDir(), "pintlab run test", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// rows reads a CSV file of a run. It returns a map for each row.
func rows(t *testing.T, dir, name string) []map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]string
	for _, line := range all[1:] {
		m := map[string]string{}
		for i, key := range all[0] {
			m[key] = line[i]
		}
		list = append(list, m)
	}
	return list
}

func value(t *testing.T, s string) float64 {
	t.Helper()
	if s == "" {
		return 0
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The page shows the values of series.csv, flowseries.csv and flows.csv. This is tested for different numbers of
// samples per step, and with files that omit rows equal to the previous row.
func TestPageAgreesWithTheRun(t *testing.T) {
	for _, x := range []struct {
		steps int
		set   []string
	}{
		{10000, nil}, {37, nil}, {37, []string{"run.sampling.max_looks=0", "run.sampling.rows=changed"}},
		{20, []string{"run.sampling.max_looks=64"}},
	} {
		dir := record(t, busy, append(PageKeys()[:len(PageKeys())-1:len(PageKeys())-1], x.set...)...)
		r, err := open(nil, dir)
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.page(x.steps, mostFlows)
		if err != nil {
			t.Fatal(err)
		}
		if p.Steps > x.steps || p.Steps < 15 || len(p.Nodes) != 30 || len(p.Links) != 32 ||
			slices.Contains(p.Seen, false) || len(r.missing) != 0 {
			t.Fatalf("%d steps, %d nodes, %d links, missing %v", p.Steps, len(p.Nodes), len(p.Links), r.missing)
		}
		if got := fmt.Sprint(p.Layers); got != "[{hosts} {leaf} {spine}]" {
			t.Errorf("layers %s", got)
		}
		port := map[string]int{}
		for i, l := range p.Links {
			port[fmt.Sprintf("%d-%d", l.A, l.B)], port[fmt.Sprintf("%d-%d", l.B, l.A)] = 2*i, 2*i+1
		}
		peak, drops, marks, sent := make([]float64, 64), make([]float64, 64), make([]float64, 64), make([]float64, 64)
		for _, row := range rows(t, dir, "series.csv") {
			i := port[row["node"]+"-"+row["peer"]]
			peak[i] = max(peak[i], value(t, row["queue_bytes"]))
			drops[i], marks[i], sent[i] = value(t, row["drops"]), value(t, row["marks"]), value(t, row["sent_bytes"])
		}
		if slices.Max(drops) == 0 || slices.Max(marks) == 0 {
			t.Fatal("the run has neither drops nor marks")
		}
		for i := range peak {
			if p.Queue.Peaks[i] != peak[i] || p.Drops.Sums[i] != drops[i] || p.Marks.Sums[i] != marks[i] {
				t.Errorf("port %d: queue %v, drops %v, marks %v, want %v, %v, %v", i, p.Queue.Peaks[i], p.Drops.Sums[i],
					p.Marks.Sums[i], peak[i], drops[i], marks[i])
			}
			var carried, dropped float64
			for s := range p.Steps {
				length := min(p.Step, p.End-p.From-float64(s)*p.Step)
				carried += float64(p.Busy.Values[i*p.Steps+s]) * length * p.Links[i/2].Rate / 8
				dropped += float64(p.Drops.Values[i*p.Steps+s])
			}
			if math.Abs(carried-sent[i]) > 1e-3*sent[i]+1 || dropped != drops[i] {
				t.Errorf("port %d: utilisation amounts to %.0f bytes, want %.0f; drops to %v, want %v", i, carried,
					sent[i], dropped, drops[i])
			}
		}
		flows := rows(t, dir, "flows.csv")
		if len(p.Flows) != len(flows) || p.AllFlows != len(flows) {
			t.Fatalf("%d flows, want %d", len(p.Flows), len(flows))
		}
		sampled, moved := 0, 0
		for i, f := range p.Flows {
			row := flows[i]
			if got := fmt.Sprintf("%d %d %d %d %.0f %s %d %d %d", f.ID, f.Src, f.Dst, f.Class, f.Size, f.Outcome,
				f.Packets, f.Again,
				f.Timeouts); got != strings.Join([]string{row["id"], row["src"], row["dst"], row["class"],
				row["size_bytes"], row["outcome"], row["packets"], row["retransmitted"], row["timeouts"]}, " ") {
				t.Errorf("flow %v: %s", row, got)
			}
			for k, path := range f.Paths {
				if k == 0 && len(path.Ports) != int(value(t, row["hops"]))+1 && len(f.Paths) == 1 {
					t.Errorf("flow %d crosses %d ports and %s switches", f.ID, len(path.Ports), row["hops"])
				}
				at := f.Src
				for _, q := range path.Ports {
					l := p.Links[q/2]
					if q%2 == 1 {
						l.A, l.B = l.B, l.A
					}
					if l.A != at {
						t.Fatalf("flow %d: the path breaks at node %d", f.ID, at)
					}
					at = l.B
				}
				if at != f.Dst {
					t.Fatalf("flow %d ends at %d, want %d", f.ID, at, f.Dst)
				}
			}
			if len(f.Paths) > 1 {
				moved++
			}
			if f.First < 0 {
				continue
			}
			sampled++
			if n := len(f.Rate.Values); len(f.Goodput.Values) != n || len(f.Window.Values) != n ||
				len(f.Flight.Values) != n || f.First+n > p.Steps {
				t.Fatalf("flow %d: %d rates from step %d, %d goodputs, %d windows", f.ID, n, f.First,
					len(f.Goodput.Values), len(f.Window.Values))
			}
			var got float64
			for k, v := range f.Goodput.Values {
				got += v / 8 * min(p.Step, p.End-p.From-float64(f.First+k)*p.Step)
			}
			if f.Outcome == "finished" && math.Abs(got-f.Size) > 1e-6*f.Size {
				t.Errorf("flow %d: goodput amounts to %.0f bytes, want %.0f", f.ID, got, f.Size)
			}
		}
		if sampled < 12 || moved == 0 {
			t.Errorf("%d flows were sampled, %d changed their path", sampled, moved)
		}
	}
}

// Recording changes no result, and equal runs give equal pages.
func TestRecordingChangesNothing(t *testing.T) {
	plain := record(t, busy)
	dir := record(t, busy, PageKeys()...)
	a, err := store.ReadManifest(plain)
	if err != nil {
		t.Fatal(err)
	}
	b, err := store.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if a.Summary.Fingerprint != b.Summary.Fingerprint || a.Summary.PacketHops != b.Summary.PacketHops {
		t.Errorf("fingerprints %s and %s", a.Summary.Fingerprint, b.Summary.Fingerprint)
	}
	var pages [][]byte
	for _, dir := range []string{dir, record(t, busy, append(PageKeys(), "run.workers=2")...)} {
		if _, err := WritePage(nil, dir, ""); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, PageFile))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, text)
	}
	if string(pages[0]) != string(pages[1]) {
		t.Error("the pages of equal runs differ")
	}
	_, err = WritePage(nil, plain, "")
	if !errtest.Says(err, plain+"…recorded neither ports nor flows…pintlab run test --view…") {
		t.Errorf("error %v", err)
	}
}

// A page lists what was not recorded.
func TestMissingParts(t *testing.T) {
	for _, x := range []struct{ set, want string }{
		{"run.sampling.series=flows", "Ports were not recorded"},
		{"run.sampling.series=ports", "Rates and windows of flows were not recorded"},
		{"run.sampling.nodes=[switches]", "run.sampling.nodes = [all]"},
		{"run.sampling.flows=[0-5]", "some flows only"},
	} {
		set := []string{"run.sampling.enabled=true", "run.sampling.period=2us", x.set}
		if !strings.Contains(x.set, "nodes") && !strings.Contains(x.set, "series=flows") {
			set = append(set, "run.sampling.nodes=[all]")
		}
		dir := record(t, busy, set...)
		d, err := WritePage(nil, dir, filepath.Join(dir, "mine.html"))
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Missing) != 2 || !strings.Contains(d.Missing[0], x.want) {
			t.Errorf("%s: missing %q", x.set, d.Missing)
		}
	}
}

// Faults without links are also on the page.
func TestFaultsOfSwitches(t *testing.T) {
	r, err := open(nil, record(t, busy, append(PageKeys(), "faults=[{kind: blackhole-entry, switch: 25, dst: 2, at: "+
		"5us, until: 100us}]")...))
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.page(37, mostFlows)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Faults) != 1 || p.Faults[0].Text != "switch leaf1 forwards wrongly (blackhole-entry)" ||
		len(p.Faults[0].Links) > 0 {
		t.Errorf("%+v", p.Faults)
	}
}

// A run that has no duration, or that ended before the first sample, has a page that shows the network and the reason.
func TestPageWithoutTime(t *testing.T) {
	const idle = "name: idle\ntopology: {kind: star, hosts: 4}\nworkload: [{kind: racks, matrix: web, rack_hosts: 2, " +
		"sizes: fixed, size: 1000B, load: 0.0001, duration: 1us}]\n"
	for _, x := range []struct {
		text, set, want string
		ports           int
	}{
		{idle, "seed=1", "Nothing was recorded over time: the run ended at 0s, and the first sample is at 0s.", 8},
		{busy, "run.sampling.from=1s", "Nothing was recorded over time: the run ended at …s, " +
			"and the first sample is at 1s.", 0},
	} {
		dir := record(t, x.text, append(PageKeys(), x.set)...)
		d, err := WritePage(nil, dir, "")
		if err != nil {
			t.Fatal(err)
		}
		if d.Steps != 1 || d.Ports != x.ports || d.Flows != 0 {
			t.Errorf("%+v", d)
		}
		r, err := open(nil, dir)
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.page(100, 100)
		if err != nil || len(p.Nodes) < 5 ||
			!slices.ContainsFunc(p.Notes, func(n string) bool { return errtest.Says(errors.New(n), x.want) }) {
			t.Errorf("notes %q, %v", p.Notes, err)
		}
	}
}

// A page of fat320-web of 1 ms has at most 5 MB, and a step is as short as the sampling period.
func TestSizeOfPage(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates fat320-web, which takes 6 seconds; needs go test without -short")
	}
	sc, err := scenario.Open("fat320-web", append(PageKeys(), "workload.0.duration=1ms")...)
	if err != nil {
		t.Fatal(err)
	}
	dir := record(t, string(sc.YAML()))
	d, err := WritePage(nil, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if d.Bytes > mostBytes || d.Steps < 400 || d.Ports != 960 || d.Flows != 1129 {
		t.Errorf("%+v", d)
	}
}

// If a page would be too large, it has fewer steps and flows.
func TestLimits(t *testing.T) {
	dir := record(t, busy, PageKeys()...)
	r, err := open(nil, dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.page(40, 10)
	if err != nil {
		t.Fatal(err)
	}
	if p.Steps > 40 || len(p.Flows) != 10 ||
		!slices.ContainsFunc(p.Notes,
			func(n string) bool { return strings.Contains(n, "the 10 flows that were active longest") }) {
		t.Errorf("%d steps, %d flows, notes %q", p.Steps, len(p.Flows), p.Notes)
	}
	longest := slices.MaxFunc(p.Flows,
		func(a, b PageFlow) int { return int(1e12 * ((a.End - a.Start) - (b.End - b.Start))) })
	all, err := r.page(40, mostFlows)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all.Flows {
		if f.End-f.Start > longest.End-longest.Start {
			t.Errorf("flow %d, which was under way longest, is not on the page", f.ID)
		}
	}
}

// drive clicks like a reader, in a frame of the given width.
const drive = `<!DOCTYPE html><pre id="o"></pre><script>
const failed = [], check = (ok, what) => { if (!ok) failed.push(what); };
const sleep = ms => new Promise(done => setTimeout(done, ms));
async function visit(width) {
  const frame = document.createElement("iframe");
  frame.style.cssText = "width:" + width + "px;height:900px;border:0";
  frame.src = "view.html";
  document.body.append(frame);
  await new Promise(done => frame.onload = done);
  const w = frame.contentWindow, d = w.document, at = id => d.getElementById(id);
  for (let i = 0; i < 200 && !d.documentElement.dataset.ready; i++) await sleep(20);
  check(d.documentElement.dataset.ready, width + ": not ready");
  const picture = () => at("net").toDataURL(), clock = () => at("clock").textContent;
  const key = (k, more) => d.body.dispatchEvent(
    new w.KeyboardEvent("keydown", {key: k, bubbles: true, cancelable: true, ...more}));
  const input = (id, value) => { at(id).value = value; at(id).dispatchEvent(new w.Event("input", {bubbles: true})); };
  const title = () => at("detail").querySelector("h2").textContent;
  const changes = (what, act) => {
    const before = picture() + clock();
    act();
    check(picture() + clock() !== before, width + ": nothing changes by " + what);
  };
  changes("the slider", () => input("slider", 3));
  check(clock().startsWith("step 4 of "), width + ": " + clock());
  key("ArrowRight"); check(clock().startsWith("step 5 of "), width + ": arrow right gives " + clock());
  key("ArrowRight", {shiftKey: true});
  check(clock().startsWith("step 15 of "), width + ": shift and arrow give " + clock());
  key("ArrowLeft"); key("Home"); check(clock().startsWith("step 1 of "), width + ": home gives " + clock());
  key("End"); check(/^step (\d+) of \1,/.test(clock()), width + ": end gives " + clock());
  changes("P", () => key("p"));
  changes("arrow down", () => key("ArrowDown"));
  check(!at("detail").hidden && at("detail").querySelectorAll("canvas").length >= 2, width + ": no series of the port");
  key("Escape"); check(at("detail").hidden, width + ": escape keeps the port");
  at("ports").querySelector("button").click();
  check(title() === at("ports").querySelector("button[aria-pressed=true] span").textContent, width + ": another port");
  check(/flows? (may )?cross/.test(at("detail").textContent), width + ": no flows of the port");
  const flow = at("flows").querySelector("button");
  changes("a flow", () => flow.click());
  check(title().startsWith("Flow " + flow.dataset.flow + ":") &&
    at("detail").querySelectorAll(".hops button").length >= 2, width + ": no path of the flow");
  check(w.location.hash.includes("flow=" + flow.dataset.flow), width + ": the address does not say what is chosen");
  at("detail").querySelector(".hops button").click();
  check(title().includes("→") && !title().startsWith("Flow"), width + ": a hop is no port");
  key("Escape");
  const count = at("count").textContent;
  changes("the filter", () => input("text", "h2"));
  check(at("count").textContent !== count, width + ": the filter counts " + count);
  changes("the class", () => input("class", "0"));
  at("class").value = "";
  input("text", "");
  const net = at("net"), box = net.getBoundingClientRect();
  let hit = false;
  for (let y = 4; y < box.height && !hit; y += 8) for (let x = box.width / 3; x < box.width && !hit; x += 8) {
    net.dispatchEvent(new w.MouseEvent("click", {clientX: box.left + x, clientY: box.top + y, bubbles: true}));
    hit = !at("detail").hidden;
  }
  check(hit, width + ": no port can be clicked");
  // Chromium draws no frames in simulated time
  w.requestAnimationFrame = f => w.setTimeout(() => f(w.performance.now()), 16);
  key("Home"); at("speed").value = "4"; key(" ");
  check(at("play").textContent === "Stop", width + ": the space bar does not play");
  for (let i = 0; i < 100 && clock().startsWith("step 1 of "); i++) await sleep(50);
  check(!clock().startsWith("step 1 of "), width + ": it does not play");
  key(" "); check(at("play").textContent === "Play", width + ": it does not stop");
  d.querySelector("details").open = true;
  for (const e of [d.documentElement, ...d.body.querySelectorAll("*:not(script, option)")]) {
    const wide = e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0;
    check(!wide || w.getComputedStyle(e).textOverflow === "ellipsis",
      width + ": cut " + e.tagName + "#" + e.id + "." + e.className + " " + e.scrollWidth + " in " + e.clientWidth);
  }
  frame.remove();
}
(async () => {
  try { for (const width of [390, 1200]) await visit(width); } catch (e) { failed.push(String(e.stack)); }
  document.getElementById("o").textContent = "visited: " + (failed.join("; ") || "all is well");
})();
</script>`

// The page works in a browser, with mouse and keyboard, without an error, and is not cut off at 390 and 1200 pixels.
func TestInBrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("needs chromium on the PATH, which opens the page (Debian: apt-get install chromium)")
	}
	if testing.Short() {
		t.Skip("opens the page in Chromium, which takes seconds; needs go test without -short")
	}
	dir := t.TempDir()
	if _, err := WritePage(nil, record(t, busy, PageKeys()...), filepath.Join(dir, "view.html")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "drive.html"), []byte(drive), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--allow-file-access-from-files", "--enable-logging=stderr",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--window-size=1400,1000", "--virtual-time-budget=30000",
		"--dump-dom", "file://"+filepath.Join(dir, "drive.html"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`visited: [^<]*`).FindString(string(out)); !strings.HasSuffix(m, "all is well") {
		t.Errorf("%q", m)
	}
	for line := range strings.Lines(stderr.String()) {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("console: %s", line)
		}
	}
}

// Layers follow the topology or, if it has none, the distance from the hosts. Nodes without a name have a number.
func TestLayersOfAMap(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "ring.gml")
	if err := os.WriteFile(file, []byte("graph [ node [ id 0 label \"Bern\" ] node [ id 1 label \"Rome\" ] node [ id "+
		"2 label \"Nice\" ] edge [ source 0 target 1 ] edge [ source 1 target 2 ] edge [ source 2 target 0 ] ]"),
		0o666); err != nil {
		t.Fatal(err)
	}
	text := "name: ring\ntopology: {kind: file, path: " + file + ", map_hosts: 2, map_host_rate: 10Gbps, map_rate: " +
		"10Gbps, map_delay: 1us}\n" +
		"workload:\n  - {kind: incast, senders: 4, receiver: 0, size: 50KB}\ncc: {kind: hpcc}\n"
	run := record(t, text, PageKeys()...)
	r, err := open(nil, run)
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.page(100, 100)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(p.Layers, p.Nodes); got != "[{hosts} {edge}] [{n0 0} {n1 0} {n2 0} {n3 0} {n4 0} {n5 0} "+
		"{Bern 1} {Rome 1} {Nice 1}]" {
		t.Error(got)
	}
	// A different map under the same name would have different paths.
	if err := os.WriteFile(file, []byte("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]"),
		0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := WritePage(nil, run, ""); !errtest.Says(err, run+"…has changed since the run…") {
		t.Errorf("error %v", err)
	}
}
