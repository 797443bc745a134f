package telemetry

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"pintlab/experiments/internal/campaign"
	"pintlab/experiments/internal/figures/figure"
	"pintlab/experiments/internal/figures/figure/figuretest"
	"pintlab/experiments/internal/measure/guard"
	"pintlab/experiments/results/columns"
	"pintlab/experiments/results/stats"
	"pintlab/experiments/scenario"
	"pintlab/int/lightguardian/diagnose"
	"pintlab/internal/errtest"
	"pintlab/plots"
)

// Every point of every scale is a valid scenario. The points of a setting differ only in their telemetry.
func TestSpecs(t *testing.T) {
	for scale, z := range setups {
		seen := map[string]string{}
		z.loads = z.loads[:1]
		for _, p := range z.points(everySystem()) {
			sc, err := p.cell().Spec(1).Scenario()
			if err != nil {
				t.Fatalf("%s: %v", scale, err)
			}
			sc.Monitors, sc.Telemetry.Choice = nil, sc.CC.Choice
			traffic := ""
			for _, line := range strings.Split(string(sc.YAML()), "\n") {
				if !strings.HasPrefix(line, "telemetry:") {
					traffic += line + "\n"
				}
			}
			key := p.control.name + p.workload.Name + string(rune(p.load))
			if seen[key] == "" {
				seen[key] = traffic
			}
			if seen[key] != traffic {
				t.Errorf("%s, %s: another network than the first of its setting:\n%s\n%s", scale, p.system.name,
					traffic, seen[key])
			}
			if q := questionOf(&campaign.Run{Spec: p.cell().Spec(1), Scenario: sc}); q.Window != p.window ||
				q.Heavy != int64(p.workload.heavy) {
				t.Errorf("%s, %s: asked %+v, want a window of %v and %d packets", scale, p.system.name, q, p.window,
					p.workload.heavy)
			}
		}
	}
}

// The knob for a budget keeps the budget. A system that cannot keep a budget has no knob for it.
func TestWithin(t *testing.T) {
	for _, x := range everySystem() {
		for _, b := range bytesBudgets {
			k, ok := x.within(b)
			cost := map[string]float64{
				"int": 42, "int-standard": 68, "passport": k.share * passportBytes, "postcard": k.share * postcardBytes,
				"csig": 8, "lightguardian": k.share * sketchletBytes, "sketchint": sketchINTBytes, "pint-8": 1,
				"pint-16": 2, "dlint": 4.0 / 6, "plint": 2, "clint": 4.0/6 + 5*68, "chamelemon": 0,
			}[x.key]
			if ok != (cost <= b+1e-9) {
				t.Errorf("%s within %g B: %v at %.3g B", x.key, b, ok, cost)
			}
			if uses := x.key == "passport" || x.key == "postcard"; uses && cost < min(b, 42)*0.99 {
				t.Errorf("%s uses %.3g B of %g", x.key, cost, b)
			}
		}
	}
}

// The rows contain exactly the answers that a system can give, and there is a table of each kind.
func TestSystems(t *testing.T) {
	rows := figuretest.Golden[systemRow](t, "side-by-side")
	at := central(rows)
	if len(at) != len(systems) {
		t.Fatalf("%d rows, want one of each of %d systems; \"go test ./experiments/internal/figures -run "+
			"TestSmokeRows/telemetry/side-by-side -update\" stores them", len(at), len(systems))
	}
	fridges, none, pint := find(at, "fridges"), find(at, "none"), find(at, "PINT, 16 bits")
	if !math.IsNaN(fridges.Told) || !math.IsNaN(fridges.PathFlows) || math.IsNaN(fridges.Delays) {
		t.Errorf("fridges: %+v, want distributions alone", fridges.answers)
	}
	if !math.IsNaN(none.Told) || none.bytes() != 0 || none.P95.Value != 1 || !math.IsNaN(none.Stages) {
		t.Errorf("none: %+v", none)
	}
	if pint.Mean != 2 || pint.Stages != 7 || !math.IsNaN(pint.Heavy) {
		t.Errorf("PINT, 16 bits: %v B, %v stages, F1 %v; want 2, 7, none", pint.Mean, pint.Stages, pint.Heavy)
	}
	if !math.IsNaN(fridges.Recall) || math.IsNaN(none.Recall) || math.IsNaN(pint.Precision) {
		t.Errorf("recall of faults %v by fridges, %v without telemetry; want none and some", fridges.Recall,
			none.Recall)
	}
	astray := ofFault(rows, scenario.WrongPath)
	if a, b := find(astray, pint.System).Recall, find(astray, none.System).Recall; a <= b {
		t.Errorf("recall of wrong paths %v by PINT, %v by hosts alone, which cannot see them", a, b)
	}
	list := systemTables(rows)
	if len(list) != 4 {
		t.Fatalf("%d tables of one setting and of faults, want 4", len(list))
	}
	figuretest.NoneFails(t, checkSystems(rows))
}

// Findings follow from the rows. If the rows change, the findings change.
func TestCheckSystems(t *testing.T) {
	row := func(system string, bytes, error50 float64) systemRow {
		a := columns.Blank[answers]() // NaN
		a.Latency50 = error50
		return systemRow{Table: bySetting, Control: "HPCC", Workload: "web search", Load: 50, System: system,
			linkCosts: linkCosts{Mean: bytes}, answers: a, located: columns.Blank[located](),
			traffic: traffic{P95: stats.Number{Value: 1.1, Lo: 1.05, Hi: 1.2}}}
	}
	rows := []systemRow{row("INT passport", 5, 0.01), row("LightGuardian", 2, 0.2), row("INT postcard", 6, 0.01)}
	list := checkSystems(rows)
	want := figure.Finding{
		Outcome: figure.Found, Statement: "latency of a flow at a switch, median error: INT passport and " +
			"INT postcard tie for best (HPCC, web search at 50 %)",
		Detail: "INT passport 1 % at 5 B, LightGuardian 20 % at 2 B, INT postcard 1 % at 6 B for each data packet, " +
			"on it and about it",
	}
	if list[0] != want {
		t.Errorf("%+v, want %+v", list[0], want)
	}
	if got := figuretest.Outcomes(list[1:]); got != "found found found holds holds" {
		t.Errorf("%s: %v", got, list)
	}
	rows[0].Latency50, rows[1].Latency50, rows[2].Mean = 0.2, 0.01, 4
	if got := figuretest.Outcomes(checkSystems(rows)[1:]); got != "found found found fails fails" {
		t.Errorf("%s, want claims that fail", got)
	}
	rows[2].Latency50 = 0.02
	if got := checkSystems(rows)[0].Statement; !strings.Contains(got, ": LightGuardian is best (") {
		t.Errorf("%s, want LightGuardian alone", got)
	}
}

func TestOf(t *testing.T) {
	f, err := Of([]string{"pint-8", "sketchint"})
	if err != nil || f.Title != "Telemetry systems: none; PINT, 8 bits; SketchINT" || f.Name != SideBySide.Name {
		t.Errorf("%+v, %v", f, err)
	}
	for key, want := range map[string]string{"none": `"none": want one of int, `, "pint": `"pint": want one of int, `} {
		if _, err := Of([]string{key}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := Of([]string{"int", "int"}); !errtest.Says(err, `"int" … twice`) {
		t.Errorf("%v", err)
	}
}

// If a number is known for only some seeds, the mean is over these seeds. If it is known for no seed, the mean is
// NaN.
func TestMean(t *testing.T) {
	a, b := columns.Blank[answers](), columns.Blank[answers]()
	a.Told, b.Told, b.Lag = 0.5, 0.7, 3
	m := mean([]answers{a, b})
	if m.Told != 0.6 || m.Lag != 3 || !math.IsNaN(m.Heavy) {
		t.Errorf("%+v", m)
	}
}

// The mean over kinds of faults counts each kind once, for any number of victims. A run in which no victim names a
// culprit has no precision. The time of a kind is the median over the located faults; there is no mean of the times
// over kinds.
func TestFaultTally(t *testing.T) {
	answer := func(named, right, victims int, after ...float64) *guard.Answer {
		s := diagnose.Score{Right: right, Reported: named, Found: right, True: victims}
		a := &guard.Answer{Named: named, Right: right, Afflicted: victims, Precision: s.Precision(), Recall: s.Recall(),
			F1: s.F1()}
		for _, x := range after {
			f := guard.Fault{Victims: victims, After: columns.Number(x)}
			if !math.IsNaN(x) {
				f.Found = 1
			}
			a.Faults = append(a.Faults, f)
		}
		return a
	}
	var one, two, all faultTally
	one.add(answer(10, 8, 16, 1))  // P 0.8, R 0.5
	one.add(answer(10, 10, 10, 3)) // P 1, R 1
	one.add(answer(10, 9, 12, 2))  // P 0.9, R 0.75
	two.add(answer(0, 0, 4, math.NaN()))
	two.add(answer(2, 1, 1, 6)) // P 0.5, R 1
	all.join(&one)
	all.join(&two)
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"precision", one.mean().Precision, 0.9}, {"recall", one.mean().Recall, 0.75},
		{"after", one.mean().After, 2}, {"found", one.mean().Found, 1},
		{"precision of the second", two.mean().Precision, 0.5}, {"found of the second", two.mean().Found, 0.5},
		{"precision of all", all.mean().Precision, 0.7}, {"recall of all", all.mean().Recall, 0.625},
		{"found of all", all.mean().Found, 0.8},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	if after := all.mean().After; !math.IsNaN(after) {
		t.Errorf("after of all: %v, want none", after)
	}
}

var update = flag.Bool("update", false, "write what the stored rows say into docs/reference/telemetry-rows.md")

// stored returns the stored rows of a scale.
func stored(t *testing.T, scale figure.Scale) (rows []systemRow, file string) {
	t.Helper()
	file = string(scale) + ".csv"
	table, err := plots.LoadCSV("side-by-side/" + file)
	if err == nil {
		rows, err = columns.Decode[systemRow](table)
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows, file
}

// The page quotes only stored rows, so that its numbers cannot become outdated. It quotes the largest scale with
// stored rows. The rows about faults may be stored only for a smaller scale.
func TestPage(t *testing.T) {
	scale := figure.Laptop
	if _, err := os.Stat("side-by-side/paper.csv"); err == nil {
		scale = figure.Paper
	}
	rows, file := stored(t, scale)
	faultScale, faultFile := scale, file
	if len(ofFault(rows, everyKind)) == 0 {
		faultScale = figure.Laptop
		var more []systemRow
		more, faultFile = stored(t, faultScale)
		rows = append(rows, figure.Pick(more, func(r *systemRow) bool { return r.Table == byFault })...)
	}
	at := central(rows)
	var want strings.Builder
	fmt.Fprintf(&want, "From [%s](../../experiments/internal/figures/telemetry/side-by-side/%s): %s, %s at %d %%, "+
		"%v of arrivals, %s. First what each system\ncosts, then what it tells.\n\n",
		file, file, at[0].Control, at[0].Workload, at[0].Load, setups[scale].windows[0],
		figure.Count(at[0].Seeds, "seed"))
	markdown(t, &want, costs("", at))
	markdown(t, &want, full("", contested(rows, at)))
	periods := figure.Pick(rows, func(r *systemRow) bool { return r.Table == byPeriod })
	for _, some := range figure.Groups[[]systemRow](periods, (*systemRow).place) {
		fmt.Fprintf(&want, "At the periods of LightGuardian's paper over a hundred, on its testbed of 8 hosts: "+
			"%d %% of DCTCP's sizes, %s. INT with a collector watches\nall packets there, "+
			"LightGuardian and SketchINT have two periods of %v, with %d columns in each part and %d kB at a host.\n\n",
			some[0].Load, figure.Count(some[0].Seeds, "seed"), testbedWindow/2, testbedBuckets, testbedSketch/1000)
		markdown(t, &want, told("", some))
	}
	fmt.Fprintf(&want, "Silent faults, from [%s](../../experiments/internal/figures/telemetry/side-by-side/%s): "+
		"%s of each kind. F1 by kind of fault:\n\n",
		faultFile, faultFile, figure.Count(setups[faultScale].faults.seeds, "seed"))
	markdown(t, &want, f1("", rows))
	want.WriteString("and the time in ms until they are found:\n\n")
	markdown(t, &want, times("", rows))
	for _, f := range checkSystems(rows) {
		if strings.HasSuffix(f.Detail, "for each data packet, on it and about it") {
			fmt.Fprintf(&want, "- %s.\n", f.Statement) // the tables contain the numbers of all systems
			continue
		}
		fmt.Fprintf(&want, "- %s: %s.\n", f.Statement, f.Detail)
	}
	want.WriteString("\n")
	figuretest.Page(t, "../../../../docs/reference/telemetry-rows.md", "-run TestPage -update -->\n",
		"<!-- end rows -->", want.String(), *update)
}

// markdown writes a table.
func markdown(t *testing.T, to *strings.Builder, shown figure.Table) {
	t.Helper()
	table := shown.Rows.(*plots.Table)
	for _, head := range table.Heads() {
		to.WriteString("| " + head + " ")
	}
	to.WriteString("|\n" + strings.Repeat("|---", len(table.Columns())) + "|\n")
	for _, cells := range table.Cells() {
		to.WriteString("| " + strings.ReplaceAll(strings.Join(cells, " | "), "–", "") + " |\n")
	}
	to.WriteString("\n")
}
