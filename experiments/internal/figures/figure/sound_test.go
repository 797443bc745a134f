package figure

import (
	"testing"

	"pintlab/internal/errtest"
	"pintlab/plots"
)

// Impossible rows are refused with an error that names their line. Changes in percent may be negative.
func TestPossible(t *testing.T) {
	for _, tt := range []struct {
		time, value, change float64
		versus, want        string
	}{
		{1, 0.5, -3, "INT", ""},
		{1, -0.5, 0, "", ""},
		{-1, 0.5, 0, "INT", `line 3: column "time": -1, want at least 0, because the column is in ms`},
		{1, -0.5, 0, "INT", `line 3: column "value": -0.5, want at least 0, because the column is a ratio to INT`},
	} {
		table, err := plots.NewTable(plots.Text("versus"), plots.Column{Name: "time", Kind: plots.Float, Unit: "ms"},
			plots.Column{Name: "change", Kind: plots.Float, Unit: "%"}, plots.Column{Name: "value", Kind: plots.Float})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range [][]any{{"", 1.0, 0.0, 1.0}, {tt.versus, tt.time, tt.change, tt.value}} {
			if err := table.Append(row...); err != nil {
				t.Fatal(err)
			}
		}
		if err := possible(table); (err == nil) != (tt.want == "") || err != nil && !errtest.Says(err, tt.want) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
