package main

import (
	"testing"

	"pintlab/int/sketch"
	"pintlab/int/sketch/sketchtest"
)

func TestCount(t *testing.T) {
	sketchtest.Run(t, sketchtest.Promise{}, func(seed uint64) sketchtest.Frequency {
		s, err := New(sketch.Config{Memory: 40_000, Rows: 5, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return s.(*Count)
	})
}
