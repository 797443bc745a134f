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

// answered is the sample with an answer, whose numbers have as many digits as there are.
func answered(t *testing.T) *Page {
	p := sample(t)
	g := Grid{Caption: "Changes against HPCC, INT.", Head: []string{"scheme", "mean FCT", "p50 slowdown",
		"p95 slowdown", "p99 slowdown", "goodput of long flows"}}
	for _, of := range []string{"Web search", "Hadoop"} {
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

// A page with an answer opens with it, and folds claims, configuration and notes away.
func TestAnswerComesFirst(t *testing.T) {
	page := render(t, answered(t))
	at := -1
	for _, want := range []string{`id="answer"`, `class="answer"`, `class="grid"`, `class="number better sure"`,
		`class="number worse"`, "Figure 1.", `id="section-1"`, "<summary>1 notes", `id="summary"`,
		"<details>\n<summary>4 statements", `id="configuration"`, "<details>\n<summary>3 settings"} {
		i := strings.Index(page[at+1:], want)
		if i < 0 {
			t.Fatalf("%s is not where it should be", want)
		}
		at += 1 + i
	}
}

// Nothing is cut on a phone (390 pixels) or on a wide screen (1200): no drawing, no text and no part of the answer is
// wider than its place, so that it would scroll. Other tables may. Chromium measures it.
func TestNothingIsCut(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("needs chromium on the PATH, which measures the page (Debian: apt-get install chromium)")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := answered(t).Save(file); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{390, 1200} {
		frame := filepath.Join(dir, "frame.html")
		if err := os.WriteFile(frame,
			fmt.Appendf(nil,
				`<!DOCTYPE html><iframe src="page.html" style="width:%dpx;height:900px;border:0"></iframe>
<pre id="o"></pre><script>
onload = () => {
  const d = document.querySelector("iframe").contentDocument;
  const list = [d.documentElement,
    ...d.querySelectorAll(".drawing, p, figcaption, [aria-labelledby=answer] *:not(svg, svg *)")];
  let wide = [];
  for (const e of list)
    if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0)
      wide.push(e.tagName + "." + e.className + " " + e.scrollWidth + " in " + e.clientWidth);
  document.getElementById("o").textContent = "measured " + list.length + ": " + (wide.join("; ") || "all fits");
};
</script>`, width), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
			"--allow-file-access-from-files", "--user-data-dir="+filepath.Join(dir, "profile"),
			"--window-size=1400,1000", "--virtual-time-budget=5000", "--dump-dom", "file://"+frame)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(`measured [0-9]+: [^<]*`).FindString(string(out)); !strings.HasSuffix(m,
			"all fits") {
			t.Errorf("%d pixels: %q", width, m)
		}
	}
}
