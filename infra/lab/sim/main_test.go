package sim_test

import (
	"os"
	"runtime"
	"testing"
)

// TestMain runs the simulation on one thread: which of two goroutines that are awake at the same instant draws its
// random bytes first must follow from the seed, too.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(1)
	os.Exit(m.Run())
}
