package main

import (
	"testing"

	"minicloud/infra/lab/bench/units"
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
		"synchronous run":                      SyncSlot + SyncRecord,
		"asynchronous run, until it has ended": AsyncSlot + AsyncRecord,
		"row create, 0.5 KB, no index":         RowCreate,
		"row create, 0.5 KB, two indexes":      RowCreateIndexed + 2*IndexEntry,
	} {
		if got := requests[name]; got.Write != sum || got.Stream.Write != CountNodes {
			t.Errorf("%s: measured are %g and %g by streams, the keys have %g and %d",
				name, got.Write, got.Stream.Write, sum, CountNodes)
		}
	}
}
