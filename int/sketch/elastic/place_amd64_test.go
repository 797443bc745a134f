package elastic

import "testing"

// InsertAll is Insert of each on a processor without AVX2, too.
func TestInsertAllOneByOne(t *testing.T) {
	defer func(v bool) { vector = v }(vector)
	vector = false
	TestInsertAll(t)
}
