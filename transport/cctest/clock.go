package cctest

import (
	"slices"

	"pintlab/netsim/unit"
	"pintlab/transport"
)

// Clock holds the alarms of a controller. A test makes them ring.
type Clock struct {
	Due []unit.Time // due time of each alarm; Never if the alarm is not set
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

// Ring calls OnAlarm for the alarms that are due by until, in the order of their times. It rings at
// most limit alarms.
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
