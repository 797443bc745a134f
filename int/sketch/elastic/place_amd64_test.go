package elastic

import "testing"

// InsertAll also equals Insert of each on a processor without AVX2.
func TestInsertAllOneByOne(t *testing.T) {
	defer func(v bool) { vector = v }(vector)
	vector = false
	TestInsertAll(t)
}
