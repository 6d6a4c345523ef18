package dynamo

import (
	"fmt"
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// BuildUpdate is Update by builders. A WriteID that is not "" is left in the item, on the condition that it is not there.
func BuildUpdate(
	table, pk, sk string, id WriteID, update expression.UpdateBuilder, condition expression.ConditionBuilder,
) (types.TransactWriteItem, error) {
	e, err := expression.NewBuilder().WithUpdate(update).WithCondition(condition).Build()
	if err != nil {
		return types.TransactWriteItem{}, fmt.Errorf("update %s: %w", sk, err)
	}

	sets, onlyIf, values := *e.Update(), *e.Condition(), e.Values()
	if id != "" { // as texts, which take a tenth of the time that builders take
		sets = strings.Replace(sets, "SET ", "SET "+strings.Join(id.Sets(), ", ")+", ", 1)
		onlyIf = "(" + onlyIf + ") AND " + id.Absent()
		maps.Copy(values, id.Values())
	}
	part := Update(table, pk, sk, sets, onlyIf, values)
	part.Update.ExpressionAttributeNames = e.Names()
	return part, nil
}

// Overwrite gives these attributes the values they have in the item, and removes those that it does not have.
func Overwrite(it Item, attributes []string) (update expression.UpdateBuilder) {
	for _, name := range attributes {
		if v, ok := it[name]; ok {
			update = update.Set(expression.Name(name), expression.Value(v))
		} else {
			update = update.Remove(expression.Name(name))
		}
	}
	return update
}
