package pintlab

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// A full table leaves out heavy flows, so the count above the list is only a lower bound.
func TestQueryWithFullTable(t *testing.T) {
	for task, want := range map[string]string{
		"heavy-hitters --threshold 5": " heavy hitters among 4000 packets\n",
		"heavy-changes --threshold 5": " heavy changes\n",
		"arrivals --threshold 5":      " large flows among 4000 packets; times since the first packet of the trace\n",
	} {
		query := func(more string) string {
			t.Helper()
			var out bytes.Buffer
			args := strings.Fields("sketch query " + task + " --packets 4000 --flows 400 --top 1 " + more)
			if code := invoke(args, &out, &out); code != 0 {
				t.Fatalf("%s: exit code %d\n%s", args, code, &out)
			}
			return out.String()
		}
		const hint = "; choose a larger --table\n"
		got := query("--table 3")
		if !strings.HasPrefix(got, "at least ") || !strings.Contains(got, want) || !strings.HasSuffix(got, hint) {
			t.Errorf("%s with a table that is too small:\n%s", task, got)
		}
		got = query("--table 5000")
		if strings.HasPrefix(got, "at least ") || !strings.Contains(got, want) || strings.Contains(got, hint) {
			t.Errorf("%s with a table for all flows:\n%s", task, got)
		}
		var document map[string]json.RawMessage
		if err := json.Unmarshal([]byte(query("--json")), &document); err != nil {
			t.Fatal(err)
		}
		flows := 0
		for _, list := range []string{"heavy_hitters", "heavy_changes", "arrivals"} {
			var entries []any
			if raw, ok := document[list]; ok {
				if err := json.Unmarshal(raw, &entries); err != nil {
					t.Fatal(err)
				}
			}
			flows += len(entries)
		}
		if flows != 1 {
			t.Errorf("%s --top 1 --json: %d flows, want 1", task, flows)
		}
	}
}
