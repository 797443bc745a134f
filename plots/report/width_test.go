package report

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// answered is the sample with an answer. The numbers of the answer have as many digits as possible.
func answered(t *testing.T) *Page {
	p := sample(t)
	g := Grid{Caption: "Changes against HPCC, INT.", Head: []string{"scheme", "mean FCT", "p50 slowdown",
		"p95 slowdown", "p99 slowdown", "goodput of long flows"}}
	for _, of := range []string{"Web search", "Hadoop, congestion control HPCC, load 0.2, port limit 100KB"} {
		rows := [][]GridCell{{{Text: "HPCC, standard INT"}}, {{Text: "Reno, INT bytes"}}}
		for i := range g.Head[1:] {
			lean := []Lean{Better, Worse, Even}[i%3]
			rows[0] = append(rows[0], GridCell{Text: "1.27 ms"})
			rows[1] = append(rows[1],
				GridCell{Text: "33.3 Gb/s", Detail: "+725 % (+252 to +1838)", Lean: lean, Sure: i%2 == 0})
		}
		g.Groups = append(g.Groups, GridGroup{Title: of, Rows: rows})
	}
	p.Answer = &Answer{Text: []string{"Web search: flows take 13 % less time with HPCC over PINT than " +
		"with HPCC over INT."}, Grid: g, Figures: p.Sections[0].Figures[1:]}
	p.Sections[0].Figures = p.Sections[0].Figures[:1]
	return p
}

// A page opens with the answer and its drawing. Statements, notes and the configuration follow.
func TestAnswerComesFirst(t *testing.T) {
	page := render(t, answered(t))
	at := -1
	for _, want := range []string{`id="answer"`, `class="answer"`, `class="grid"`,
		`<span class="better sure">better</span> <span class="worse sure">worse</span></caption>`,
		`class="number better sure"`,
		`class="number worse"`, "Figure 1.", `id="summary"`, `id="section-1"`, `<a href="#note-1">(1)</a>`,
		`id="notes"`, `<li id="note-1">`, `id="configuration"`, "<details>\n<summary>3 settings"} {
		i := strings.Index(page[at+1:], want)
		if i < 0 {
			t.Fatalf("%s is not where it should be", want)
		}
		at += 1 + i
	}
}

// Nothing is cut on a phone (390 pixels), on a tablet or a sheet of A4 (717) or on a wide screen (1200): no drawing,
// text or table is wider than the space for it. In print the page has the layout of a wide screen, all details are
// open and no drawing is taller than a sheet of Letter (979). The test measures this with Chromium.
func TestNothingIsCut(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("needs chromium on the PATH, which measures the page (Debian: apt-get install chromium)")
	}
	dir, screen := t.TempDir(), render(t, answered(t))
	printed := strings.NewReplacer("@media print", "@media all", "@media screen", "@media speech").Replace(screen)
	for _, m := range []struct {
		medium, page string
		width        int
	}{{"screen", screen, 390}, {"screen", screen, 717}, {"screen", screen, 1200}, {"print", printed, 717}} {
		frame := fmt.Sprintf(measuring, m.width, m.medium)
		for name, text := range map[string]string{"page.html": m.page, "frame.html": frame} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
			"--allow-file-access-from-files", "--user-data-dir="+filepath.Join(dir, "profile"),
			"--window-size=1400,1000", "--virtual-time-budget=5000", "--dump-dom",
			"file://"+filepath.Join(dir, "frame.html"))
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`measured [0-9]+: [^<]*`).FindString(string(out))
		if !strings.HasSuffix(found, "all fits") {
			t.Errorf("%d pixels, %s: %q", m.width, m.medium, found)
		}
	}
}

// measuring shows page.html in a frame of a given width and measures it for a given medium.
const measuring = `<!DOCTYPE html><iframe src="page.html" style="width:%dpx;height:900px;border:0"></iframe>
<pre id="o"></pre><script>
onload = () => {
  const d = document.querySelector("iframe").contentDocument, found = [];
  const list = [d.documentElement, ...d.querySelectorAll("body *:not(svg, svg *)")];
  for (const e of list)
    if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0)
      found.push(e.tagName + "." + e.className + " " + e.scrollWidth + " in " + e.clientWidth);
  if ("%s" === "print") {
    for (const e of d.querySelectorAll("details table"))
      if (!e.checkVisibility()) found.push("a closed table");
    for (const e of d.querySelectorAll("figure"))
      if (e.offsetHeight > 979) found.push("a figure of " + e.offsetHeight);
    if ([...d.querySelectorAll(".narrow, thead")].some(e => e.checkVisibility() === e.matches(".narrow")))
      found.push("the layout of a phone");
  }
  document.getElementById("o").textContent = "measured " + list.length + ": " + (found.join("; ") || "all fits");
};
</script>`
