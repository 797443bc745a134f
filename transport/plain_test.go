package transport

// Recoveries are GoBackN, NewReno, Reno and Tahoe of package recovery. An external test sets them, because package
// recovery imports this package.
var Recoveries [4]Recovery

// plain returns a go-back-N transport with simple settings.
func plain() Config { return paced(Recoveries[0]) }

// plainTCP returns NewReno with packets of 1514 B.
func plainTCP() Config { return paced(Recoveries[1]) }

func paced(r Recovery) Config {
	c := Default("kind="+r.Kind()).Config(r, 0, 0)
	c.Pacing, c.IdealSegment = true, 0
	return c
}

// oneByOne is a Source that reads a slice.
type oneByOne struct{ flows []Flow }

// Next implements Source.
func (l *oneByOne) Next(f *Flow) bool {
	if len(l.flows) == 0 {
		return false
	}
	*f, l.flows = l.flows[0], l.flows[1:]
	return true
}
