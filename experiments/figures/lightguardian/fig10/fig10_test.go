package fig10

import (
	"testing"

	"pintlab/experiments/figures/figure/figuretest"
	"pintlab/experiments/figures/lightguardian/locate"
)

func TestSmoke(t *testing.T) {
	figuretest.NoneFails(t, locate.Check(figuretest.Golden[locate.Row](t), locate.Jitter))
}
