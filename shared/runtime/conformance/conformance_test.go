package conformance

import "testing"

func TestProgramsHaveResults(t *testing.T) {
	programs := Programs()
	if len(programs) < 300 {
		t.Errorf("there are %d programs, want at least 300", len(programs))
	}
	seen := map[string]bool{}
	for _, p := range programs {
		if seen[p.Name] {
			t.Errorf("%s is there twice", p.Name)
		}
		seen[p.Name] = true
		if p.Source == "" || p.Want == "" {
			t.Errorf("%s lacks its source or its result", p.Name)
		}
	}
}
