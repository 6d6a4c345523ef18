package measure_test

import (
	"errors"
	"testing"
	"time"

	"minicloud/infra/lab/bench/measure"
)

func TestQuantiles(t *testing.T) {
	s := measure.Series{5, 1, 4, 2, 3}
	if s.Median() != 3 || s.P(0) != 1 || s.P(1) != 5 || (measure.Series)(nil).Median() != 0 {
		t.Errorf("median %d, min %d, max %d", s.Median(), s.P(0), s.P(1))
	}
}

func TestErrorsEndAMeasurement(t *testing.T) {
	boom := errors.New("boom")
	if _, err := measure.Times(1, 3, func() error { return boom }); !errors.Is(err, boom) {
		t.Errorf("Times: %v", err)
	}
	if _, err := measure.Rate(2, time.Minute, func() error { return boom }); !errors.Is(err, boom) {
		t.Errorf("Rate: %v", err)
	}
}

func TestTimesLeavesTheWarmUpOut(t *testing.T) {
	calls := 0
	s, err := measure.Times(2, 3, func() error { calls++; return nil })
	if err != nil || calls != 5 || len(s) != 3 {
		t.Errorf("%d calls, %d counted, %v", calls, len(s), err)
	}
}
