package plots

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// stub replaces matplotlib if matplotlib is not installed. The script then runs without drawing.
const stub = `
import sys
from unittest.mock import MagicMock
def subplots(lines, columns, **_):
    axes = [MagicMock() for _ in range(lines * columns)]
    for ax in axes:
        ax.get_legend_handles_labels.return_value = ([1, 2], ["a", "b"])
        ax.xaxis.get_view_interval.return_value = ax.yaxis.get_view_interval.return_value = (1, 10)
    return MagicMock(), MagicMock(flat=axes)
for name in ["matplotlib", "matplotlib.pyplot", "matplotlib.colors", "matplotlib.ticker"]:
    sys.modules[name] = MagicMock()
sys.modules["matplotlib"].pyplot = sys.modules["matplotlib.pyplot"]
sys.modules["matplotlib.pyplot"].subplots = subplots
`

// The script draws every kind of figure from the points in the file next to it.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs python3 on the PATH, which runs the scripts (Debian: apt-get install python3-matplotlib)")
	}
	real := exec.Command(python, "-c", "import matplotlib").Run() == nil
	if !real {
		t.Log("matplotlib is not installed: the scripts run with a stub in its place")
	}
	for name, f := range map[string]Figure{
		"bars": demoBars(), "overhead": demoOverhead(), "heat": demoHeat(t), "column": demoSlowdownColumn(t),
		"hostile": hostile(), "steps": demoFCT(), "traces": demoTime(), "scatter": demoScatter(),
	} {
		dir := t.TempDir()
		files, err := SaveAll(&f, filepath.Join(dir, name), "py")
		if err != nil || len(files) != 2 {
			t.Fatalf("%s: %v, %v", name, files, err)
		}
		line := []string{files[0]}
		if !real {
			line = []string{"-c", stub + "import runpy\nrunpy.run_path(sys.argv[1], run_name='__main__')", files[0]}
		}
		if text, err := exec.Command(python, line...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
		if _, err := os.Stat(filepath.Join(dir, name+".pdf")); real && err != nil {
			t.Error(err)
		}
		if points, err := LoadCSV(files[1]); err != nil || points.Len() == 0 {
			t.Errorf("%s: no points: %v", name, err)
		}
	}
}

// The specification for Vega-Lite has a view for each panel, and its layers refer to columns of its data.
func TestVega(t *testing.T) {
	for name, f := range map[string]Figure{
		"bars": demoBars(), "overhead": demoOverhead(), "heat": demoHeat(t), "column": demoSlowdownColumn(t),
	} {
		var b bytes.Buffer
		if err := Write(&f, "vl.json", &b); err != nil {
			t.Fatal(err)
		}
		var spec struct {
			Schema string `json:"$schema"`
			Data   struct{ Values []map[string]any }
			Concat []struct {
				Layer []struct {
					Mark      any
					Data      struct{ Values []map[string]any }
					Encoding  map[string]map[string]any
					Transform []map[string]any
				}
			}
		}
		if err := json.Unmarshal(b.Bytes(), &spec); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(spec.Schema, "vega-lite/v5") || len(spec.Concat) != len(f.Panels) {
			t.Errorf("%s: %d views of %d panels", name, len(spec.Concat), len(f.Panels))
		}
		for _, view := range spec.Concat {
			for _, layer := range view.Layer {
				made := map[string]bool{}
				for _, x := range layer.Transform {
					if as, is := x["as"].(string); is {
						made[as] = true
					}
					list, _ := x["window"].([]any)
					for _, w := range list {
						made[w.(map[string]any)["as"].(string)] = true
					}
				}
				for _, v := range layer.Data.Values {
					for field := range v {
						made[field] = true
					}
				}
				for channel, of := range layer.Encoding {
					if field, is := of["field"].(string); is && !made[field] && spec.Data.Values[0][field] == nil {
						if _, there := spec.Data.Values[0][field]; !there {
							t.Errorf("%s: %s shows %q, which is no column", name, channel, field)
						}
					}
				}
			}
		}
	}
}

// Spans are bars from one point to the next. Narrow categories keep their texts. Lines without rows have separate
// layers. A point without an interval has no interval in the data.
func TestVegaMarks(t *testing.T) {
	f := Figure{Panels: []Panel{{
		X: Axis{Label: "Time", Ticks: []Tick{{At: 0.00002, Label: "twenty"}},
			Lines: []RefLine{{At: 0.00003, Label: "end"}}},
		Y: Axis{Label: "Rank"}, Identity: true, Notes: []Note{{X: 1, Y: 2, Text: "here"}},
		Series: []Series{
			{Name: "compute", Style: Span, X: Values{0, 1, 1, 2, 3}, Y: Values{0, 1, math.NaN(), 0, 1}},
			{Name: "mean", Style: Line, X: Values{0, 1}, Y: Values{1, 2}, Lo: Values{0, 1.5}, Hi: Values{0, 2.5}},
		},
	}}}
	var b bytes.Buffer
	if err := Write(&f, "vl.json", &b); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{`"x2": { "field": "x2" }`, `"op": "lead"`, `[[\"twenty\"],[0.00002]][0][indexof(`,
		`"tooltip": "end"`, `"text": "here"`, `"lo": null`, `"hi": 2.5`, `"type": "line" } }`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// A drawing has the requested width, or an error names the smallest possible width.
func TestResized(t *testing.T) {
	f := demoOverhead()
	narrow, err := f.Resized(InColumn)
	if err != nil || float64(arrange(&narrow).width) != InColumn {
		t.Errorf("%v wide, %v", arrange(&narrow).width, err)
	}
	if _, err := f.Resized(72); err == nil || !strings.Contains(err.Error(), "at least") {
		t.Errorf("one inch: %v", err)
	}
}
