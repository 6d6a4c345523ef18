package rowdb

import (
	"encoding/json"
	"fmt"

	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Listen implements triggerdb.Listeners. It also increments the revision, so that schemas read before become stale and
// cannot replace the table. If a built-in table is not stored yet, Listen stores it.
func (s *Tables) Listen(scope tenant.Scope, add trigger.Listening) (dynamo.Part, error) {
	expression, condition := "", dynamo.Exists
	values := dynamo.Item{
		":one": dynamo.Number(1), ":create": dynamo.Number(int64(add.By[trigger.Create])),
		":update": dynamo.Number(int64(add.By[trigger.Update])), ":delete": dynamo.Number(int64(add.By[trigger.Delete])),
	}
	if add.Table == table.UserProfiles {
		schema, err := json.Marshal(table.Profiles())
		if err != nil {
			return dynamo.Part{}, fmt.Errorf("table %q: %w", table.UserProfilesName, err)
		}
		values[":schema"] = dynamo.Text(string(schema))
		expression, condition = "SET "+attrSchema+" = if_not_exists("+attrSchema+", :schema) ", ""
	}

	expression += "ADD " + attrRevision + " :one, " + attrOnCreate + " :create, " + attrOnUpdate + " :update, " +
		attrOnDelete + " :delete"
	return dynamo.Update(s.Name, scope.String(), id.ID(add.Table).Key(), expression, condition, values), nil
}

// Fires returns the text of firing that a change stored, given the images of its stream record; "" if it fires nothing.
func Fires(old, next dynamo.Item) string {
	if len(next) == 0 {
		return dynamo.TextOf(old[attrDeletion])
	}
	return dynamo.TextOf(next[attrFires])
}

// firing returns the text that a change stores if it fires triggers: the depth of the event, the table's revision as
// read by the writer, and the trace. It is "" if the table has no listeners or the writer suppresses events.
func firing(t table.Table, listeners int, origin table.Origin) string {
	if listeners <= 0 || origin.Quiet {
		return ""
	}
	return fmt.Sprintf("%d#%d#%s", origin.Depth, t.Revision, origin.Trace)
}
