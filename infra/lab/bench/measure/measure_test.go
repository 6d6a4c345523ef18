package measure_test

import (
	"testing"

	"minicloud/infra/lab/bench/measure"
)

func TestQuantiles(t *testing.T) {
	s := measure.Series{5, 1, 4, 2, 3}
	if s.Median() != 3 || s.P(0) != 1 || s.P(1) != 5 || (measure.Series)(nil).Median() != 0 {
		t.Errorf("median %d, min %d, max %d", s.Median(), s.P(0), s.P(1))
	}
}
