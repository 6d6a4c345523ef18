package draft_test

import (
	"fmt"
	"slices"
	"testing"

	"minicloud/shared/language/value"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/draft"
)

// TestChoicesMatchChecks compares, for every type and action, the offered choices with what a check accepts.
func TestChoicesMatchChecks(t *testing.T) {
	all := draft.AllChoices()
	if len(all.Types) != len(trigger.Types) || len(all.Columns) != 10 {
		t.Fatalf("%d types of triggers, %d of columns", len(all.Types), len(all.Columns))
	}
	for _, offered := range all.Types {
		for _, action := range trigger.ActionTypes {
			body := fmt.Sprintf(`{"type":%q,"actions":[{"type":%q,"settings":{}}]}`, offered.Type, action)
			report := check(t, draft.Draft{Given: decoded(t, body)})
			refused := slices.ContainsFunc(report.Errors, func(p trigger.Problem) bool { return p.Path == "actions[0].type" })
			if refused == slices.Contains(offered.Actions, action) {
				t.Errorf("%s, %s: offered %v, refused %v", offered.Type, action, !refused, refused)
			}
		}
	}

	for _, c := range all.Columns {
		if !slices.Contains(c.Assignments, string(trigger.Assign)) || !slices.Contains(c.Operators, string(trigger.Changed)) {
			t.Errorf("%s: %v and %v", c.Type, c.Operators, c.Assignments)
		}
	}
	if !slices.Contains(all.System, draft.SystemColumn{Name: "created_at", Type: value.Integer}) {
		t.Errorf("system columns: %v", all.System)
	}
}
