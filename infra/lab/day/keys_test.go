package day_test

import (
	"testing"

	"minicloud/infra/lab/bench/units"
	"minicloud/infra/lab/day"
)

// measured are the stored units of requests.
const measured = "../bench/units/testdata/ceilings.json"

// TestKeysSumToMeasuredUnits checks that the write units of the keys of a request are all that were measured.
func TestKeysSumToMeasuredUnits(t *testing.T) {
	requests, err := units.ReadCeilings(measured)
	if err != nil {
		t.Fatal(err)
	}
	for name, sum := range map[string]float64{
		"synchronous run":                      day.SyncSlot + day.SyncRecord,
		"asynchronous run, until it has ended": day.AsyncSlot + day.AsyncRecord,
		"row create, 0.5 KB, no index":         day.RowCreate,
		"row create, 0.5 KB, two indexes":      day.RowCreateIndexed + 2*day.IndexEntry,
	} {
		if got := requests[name]; got.Write != sum || got.Stream.Write != day.CountNodes+day.CountCheckpoint {
			t.Errorf("%s: measured are %g and %g by streams, the keys have %g and %d",
				name, got.Write, got.Stream.Write, sum, day.CountNodes+day.CountCheckpoint)
		}
	}
}
