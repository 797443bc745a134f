package main

import (
	"testing"

	"pintlab/int/sketch/sketchtest"
)

func TestCount(t *testing.T) { sketchtest.Suite(t, kind, 100_000) }
