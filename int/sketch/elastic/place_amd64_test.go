package elastic

import "testing"

// On a processor without AVX2, InsertAll also equals Insert for each packet.
func TestInsertAllOneByOne(t *testing.T) {
	defer func(v bool) { vector = v }(vector)
	vector = false
	TestInsertAll(t)
}
