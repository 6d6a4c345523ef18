package prelude

import (
	"encoding/json"
	"testing"

	"minicloud/shared/runtime/conformance"
	"minicloud/shared/runtime/engine"
)

// TestPassesConformancePrograms runs the programs on a bare engine; package process runs them in a sandbox.
func TestPassesConformancePrograms(t *testing.T) {
	for _, p := range conformance.Programs() {
		t.Run(p.Name, func(t *testing.T) {
			report := newRealmAfter(t, "", nil).run(p.Source, json.RawMessage(conformance.Event))
			if report.Error != nil {
				t.Fatalf("%s\n%s", p.Source, engine.Trace(report.Error))
			}
			var got string
			if err := json.Unmarshal(report.Data, &got); err != nil {
				t.Fatal(err)
			}
			if got != p.Want {
				t.Errorf("%s\ngot:\n%s\nwant:\n%s", p.Source, got, p.Want)
			}
		})
	}
}
