package dynamo

import (
	"fmt"
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// BuildUpdate is Update with expression builders. If id is not "", the update stores it in the item, on the condition
// that the item does not have it yet.
func BuildUpdate(
	table, pk, sk string, id WriteID, update expression.UpdateBuilder, condition expression.ConditionBuilder,
) (types.TransactWriteItem, error) {
	e, err := expression.NewBuilder().WithUpdate(update).WithCondition(condition).Build()
	if err != nil {
		return types.TransactWriteItem{}, fmt.Errorf("update %s: %w", sk, err)
	}

	sets, onlyIf, values := *e.Update(), *e.Condition(), e.Values()
	if id != "" { // edited as text: ten times faster than builders
		sets = strings.Replace(sets, "SET ", "SET "+strings.Join(id.Sets(), ", ")+", ", 1)
		onlyIf = "(" + onlyIf + ") AND " + id.Absent()
		maps.Copy(values, id.Values())
	}
	part := Update(table, pk, sk, sets, onlyIf, values)
	part.Update.ExpressionAttributeNames = e.Names()
	return part, nil
}

// Overwrite sets these attributes to their values in the item, and removes those that the item lacks.
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
