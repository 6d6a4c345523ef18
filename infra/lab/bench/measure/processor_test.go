package measure_test

import (
	"os"
	"testing"
	"time"

	"minicloud/infra/lab/bench/measure"
)

func TestProcessor(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		if got := measure.Processor(""); got != 0 {
			t.Errorf("%v without /proc", got)
		}
		return
	}

	before := measure.Processor("")
	for start := time.Now(); measure.Processor("") < before+50*time.Millisecond; {
		if time.Since(start) > time.Minute {
			t.Fatal("a minute of work takes no processor time")
		}
	}
	if got := measure.Processor("no-such-program"); got != 0 {
		t.Errorf("a program that does not run took %v", got)
	}
}
