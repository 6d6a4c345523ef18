package rowdb

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// Listen implements triggerdb.Listeners: a trigger is stored only while its table exists. The built-in table exists in
// every environment, also before it is stored.
func (s *Tables) Listen(scope tenant.Scope, add trigger.Listening) (types.TransactWriteItem, error) {
	condition := dynamo.Exists
	if add.Table == table.UserProfiles {
		condition = dynamo.Exists + " OR " + dynamo.NotExists
	}
	return dynamo.Check(s.Name, scope.String(), id.ID(add.Table).Key(), condition, nil), nil
}
