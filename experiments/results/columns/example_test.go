package columns_test

import (
	"log"
	"os"
	"slices"
	"strings"

	"pintlab/experiments/results/columns"
)

// Row is a row of a CSV file: a column for each field.
type Row struct {
	Scheme string  `col:"scheme"`
	FCT    float64 `col:"fct" unit:"s"`
}

func Example() {
	rows, err := columns.Read[Row](strings.NewReader("scheme,fct_s\nHPCC,0.00125\nSwift,0.0011\n"), "rows.csv")
	if err != nil {
		log.Fatal(err)
	}
	slices.Reverse(rows)
	table, err := columns.Encode(rows)
	if err != nil {
		log.Fatal(err)
	}
	if err := table.WriteCSV(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// scheme,fct_s
	// Swift,0.0011
	// HPCC,0.00125
}
