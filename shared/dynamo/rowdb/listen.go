package rowdb

import (
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Listen implements triggerdb.Listeners. The revision grows with the numbers: a schema that was read before is stale,
// and nobody replaces the table by it. A built-in table may not be stored yet; it is then.
func (s *Tables) Listen(scope tenant.Scope, add trigger.Listening) (types.TransactWriteItem, error) {
	expression, condition := "", dynamo.Exists
	values := dynamo.Item{
		":one": dynamo.Number(1), ":create": dynamo.Number(int64(add.By[trigger.Create])),
		":update": dynamo.Number(int64(add.By[trigger.Update])), ":delete": dynamo.Number(int64(add.By[trigger.Delete])),
	}
	if t, ok := table.BuiltIn(add.Table); ok {
		schema, err := json.Marshal(t)
		if err != nil {
			return types.TransactWriteItem{}, fmt.Errorf("table %q: %w", t.Name, err)
		}
		values[":schema"] = dynamo.Text(string(schema))
		expression, condition = "SET "+attrSchema+" = if_not_exists("+attrSchema+", :schema) ", ""
	}

	expression += "ADD " + attrRevision + " :one, " + attrOnCreate + " :create, " + attrOnUpdate + " :update, " +
		attrOnDelete + " :delete"
	return dynamo.Update(s.Name, scope.String(), id.ID(add.Table).Key(), expression, condition, values), nil
}

// firing is what a change says that fires triggers: the depth of the event, the revision of the table as the writer has
// seen it, and its trace. It is "" where nobody listens, or is not to hear of it.
func firing(t table.Table, listeners int, origin table.Origin) string {
	if listeners <= 0 || origin.Quiet {
		return ""
	}
	return fmt.Sprintf("%d#%d#%s", origin.Depth, t.Revision, origin.Trace)
}
