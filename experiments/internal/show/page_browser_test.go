package show

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// The page of a run fits a phone (390 pixels), a tablet (717) and a wide screen (1200), and saves the network as an SVG
// of the same size. Chromium measures both. Times have the unit µs, as in all texts.
func TestPageInABrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("needs chromium on the PATH, which measures the page (Debian: apt-get install chromium)")
	}
	dir := t.TempDir()
	if _, err := WritePage(nil, record(t, busy, PageKeys()...), filepath.Join(dir, "page.html")); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{390, 717, 1200} {
		frame := filepath.Join(dir, "frame.html")
		if err := os.WriteFile(frame, fmt.Appendf(nil, pressing, width), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
			"--allow-file-access-from-files", "--user-data-dir="+filepath.Join(dir, "profile"),
			"--window-size=1400,1000", "--virtual-time-budget=30000", "--dump-dom", "file://"+frame).Output()
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(`(?s)<pre id="o">([^<]*)</pre>`).FindSubmatch(out)
		const want = "svg of the drawing's size, with names; µs each; all fits"
		if found == nil || string(found[1]) != want {
			t.Errorf("%d pixels: %q, want %q", width, found, want)
		}
	}
}

// pressing shows a page in a frame of a given width, saves its network, and lists elements that are too wide.
const pressing = `<!DOCTYPE html><iframe src="page.html#flow=3" style="width:%dpx;height:900px;border:0"></iframe>
<pre id="o"></pre><script>
const measure = () => {
  const w = document.querySelector("iframe").contentWindow, d = w.document, wide = [];
  if (!d.getElementById("main") || d.getElementById("main").hidden) { setTimeout(measure, 100); return; }
  for (const e of [d.documentElement, ...d.querySelectorAll("body *")])
    if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && getComputedStyle(e).overflow === "visible")
      wide.push(e.tagName + "." + e.className + " " + e.scrollWidth + " in " + e.clientWidth);
  w.URL.createObjectURL = blob => {
    blob.text().then(text => {
      const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
      const size = Math.abs(svg.getAttribute("width") - d.getElementById("net").clientWidth) < 20; // a scrollbar
      document.getElementById("o").textContent = svg.tagName +
        (size ? " of the drawing's size, " : " of another size, ") +
        (svg.textContent.includes("leaf0") ? "with names; " : "without names; ") +
        d.getElementById("clock").textContent.match(/[^ 0-9]+ each/) + "; " + (wide.join("; ") || "all fits");
    });
    return "blob:none";
  };
  setTimeout(() => d.getElementById("save").click(), 300);
};
onload = measure;
</script>`
