package cctest

import (
	"slices"

	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Clock is the alarms of a controller, driven by a test.
type Clock struct {
	Due []unit.Time // by alarm; Never if it is not set
}

var _ transport.Alarms = (*Clock)(nil)

func (k *Clock) Set(i int, at unit.Time) {
	for len(k.Due) <= i {
		k.Due = append(k.Due, unit.Never)
	}
	k.Due[i] = at
}

func (k *Clock) Cancel(i int) {
	if i < len(k.Due) {
		k.Due[i] = unit.Never
	}
}

// Ring calls OnAlarm for the alarms that are due up to a time, in order, at most limit of them.
func (k *Clock) Ring(c transport.Controller, until unit.Time, limit int) {
	timed, ok := c.(transport.Timed)
	if !ok {
		return
	}
	for range limit {
		if len(k.Due) == 0 {
			return
		}
		i := slices.Index(k.Due, slices.Min(k.Due))
		at := k.Due[i]
		if at > until {
			return
		}
		k.Due[i] = unit.Never
		timed.OnAlarm(at, i)
	}
}
