package hpcc

import (
	"testing"

	"pintlab/experiments/internal/figures/figure/figuretest"
)

// The smoke scale contradicts nothing, nor do the stored rows of the laptop scale, which decide the claims.
func TestEncodingsMeasured(t *testing.T) { figuretest.Compared(t, &Encodings, 14) }
