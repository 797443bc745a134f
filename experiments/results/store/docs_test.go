package store

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// docs/reference/formats/run.md lists the columns and the words of the CSV files. Its tables are generated from the
// types of the Parquet files.
func TestFormatsAreDocumented(t *testing.T) {
	data, err := os.ReadFile("../../../docs/reference/formats/run.md")
	if err != nil {
		t.Fatal(err)
	}
	section := func(title string) string {
		_, after, ok := strings.Cut(string(data), "\n## "+title+"\n")
		if !ok {
			t.Fatalf("no section %q", title)
		}
		before, _, _ := strings.Cut(after, "\n## ")
		return before
	}
	rows := func(text string) []string {
		var first []string
		for line := range strings.Lines(text) {
			if cells := strings.Split(line, "|"); len(cells) > 2 && strings.Contains(cells[1], "`") {
				first = append(first, strings.Trim(cells[1], " `"))
			}
		}
		return first
	}
	same := func(title string, want []string) {
		if got := rows(section(title)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: documented %q, written %q", title, got, want)
		}
	}
	same("`flows.parquet` and `flows.csv`", flowTable.names())
	same("`series.parquet` and `series.csv`", PortSeries.names())
	same("`flowseries.parquet` and `flowseries.csv`", FlowSeries.names())
	// The page lists the outcomes in the order of their numbers, which are part of the fingerprint.
	_, rest, _ := strings.Cut(section("`flows.parquet` and `flows.csv`"), "`outcome` is ")
	for _, word := range statusNames {
		var ok bool
		if _, rest, ok = strings.Cut(rest, "`"+word+"`"); !ok {
			t.Errorf("outcome %s is not documented, or not in its place", word)
		}
	}
	if !strings.Contains(section("`fct.txt`"), "`"+strings.Join(fctColumns, " ")+"`") {
		t.Error("the columns of fct.txt are not documented")
	}
}
