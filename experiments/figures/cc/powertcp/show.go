package powertcp

import (
	"pintlab/experiments/figures/figure"
	"pintlab/experiments/figures/pint/congestion"
)

// line is a bucket of flows.
type line struct {
	Size     float64 `col:"flows up to" unit:"B"`
	Share    float64 `col:"share" unit:"%"`
	HPCCINT  float64 `col:"HPCC, INT"`
	HPCCPINT float64 `col:"HPCC, PINT"`
	INT      float64 `col:"PowerTCP, INT"`
	Float    float64 `col:"PINT"`
	Fixed    float64 `col:"PINT in integers"`
	Theta    float64 `col:"θ-PowerTCP"`
	Change   string  `col:"PINT against INT"`
	Integers string  `col:"integers against float64"`
	Flows    int     `col:"flows"`
}

// longLine is a scheme's long flows.
type longLine struct {
	Scheme  string  `col:"scheme"`
	Goodput float64 `col:"goodput" unit:"Gb/s"`
	Against string  `col:"against"`
	Gain    string  `col:"change"`
	Flows   int     `col:"flows"`
}

func tables(all []Row) []figure.Table {
	rows := full(all)
	none := congestion.Scheme{}
	var lines []line
	for i, r := range of(rows, slowdowns, withINT, none) {
		value := func(s congestion.Scheme) float64 { return of(rows, slowdowns, s, none)[i].Value }
		lines = append(lines, line{
			Size: r.Size, Share: r.Share, Flows: r.Flows,
			HPCCINT: value(hpccINT), HPCCPINT: value(hpccPINT), INT: r.Value, Float: value(float), Fixed: value(fixed), Theta: value(theta),
			Change: of(rows, changes, float, withINT)[i].Change(), Integers: of(rows, changes, fixed, float)[i].Change(),
		})
	}
	var long []longLine
	for _, s := range schemes {
		for _, r := range of(rows, goodputs, s, none) {
			l := longLine{Scheme: s.Name, Goodput: r.Value / 1e9, Flows: r.Flows}
			for _, p := range pairs {
				if g := of(rows, gains, p[0], p[1]); p[0].Name == s.Name && len(g) > 0 && l.Against == "" {
					l.Against, l.Gain = p[1].Name, g[0].Change()
				}
			}
			long = append(long, l)
		}
	}
	return []figure.Table{
		{Rows: lines, Caption: "95th-percentile slowdown by flow size."},
		{Rows: long, Caption: "Goodput of flows above 10 MB."},
	}
}

func draw(all []Row) ([]figure.Drawing, error) {
	rows := full(all)
	points := func(table string, use func(*Row) (panel, scheme string, ok bool)) (list []figure.CurvePoint) {
		for i := range rows {
			if rows[i].Table != table {
				continue
			}
			if panel, scheme, ok := use(&rows[i]); ok {
				list = append(list, figure.CurvePoint{Panel: panel, Scheme: scheme, Measured: rows[i].Measured})
			}
		}
		return list
	}
	main, err := figure.Slowdowns(points(slowdowns, func(r *Row) (string, string, bool) {
		return congestion.Web.Name, r.Scheme, r.Scheme != fixed.Name // which lies on float
	}))
	if err != nil {
		return nil, err
	}
	main.Title = "PowerTCP and HPCC, fed by INT and by one byte of PINT, 50 % load"
	change, err := figure.Changes(points(changes, func(r *Row) (string, string, bool) {
		switch r.Against {
		case withINT.Name:
			return "against PowerTCP, INT", r.Scheme, true
		case hpccINT.Name:
			return "against HPCC, INT", r.Scheme, true
		}
		return "", "", false
	}))
	if err != nil {
		return nil, err
	}
	change.Title = "What the feedback changes"
	integers, err := figure.Changes(points(changes, func(r *Row) (string, string, bool) {
		return congestion.Web.Name, r.Scheme, r.Against == float.Name
	}))
	if err != nil {
		return nil, err
	}
	integers.Title = "The integers of a switch against float64"
	return []figure.Drawing{
		{Name: "slowdown", Caption: "95th-percentile slowdown by flow size; ticks are equal shares of the flows apart.", Plot: main},
		{Name: "change", Caption: "The same, relative to the record per hop: below 0 flows are faster.", Plot: change},
		{Name: "integers", Caption: "PowerTCP over PINT, computed as the P4 program computes it, relative to float64.", Plot: integers},
	}, nil
}
