package env_test

import (
	"strings"
	"testing"

	"minicloud/shared/program/env"
)

func TestErrNamesAllProblems(t *testing.T) {
	vars := map[string]string{"N": "ten", "SET": "x"}
	r := env.Reader{Lookup: func(name string) (string, bool) { v, ok := vars[name]; return v, ok }}
	if r.String("SET") != "x" || r.Default("ABSENT", "d") != "d" || r.Int("ABSENT", 3) != 3 {
		t.Error("values are not read")
	}
	r.String("JOBS_TABLE")
	r.String("JOBS_TABLE")
	r.Int("N", 1)
	err := r.Err()
	if err == nil || strings.Count(err.Error(), "JOBS_TABLE is not set") != 1 ||
		!strings.Contains(err.Error(), `N is "ten"`) {
		t.Errorf("Err() = %v, want both problems", err)
	}
}
