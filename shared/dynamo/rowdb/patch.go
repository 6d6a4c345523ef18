package rowdb

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/value"
	"minicloud/shared/value/update"
)

// patchExpression collects one UpdateItem on a row's fields.
type patchExpression struct {
	sets, removes, conditions []string
	add                       string
	names                     map[string]string
	values                    dynamo.Item
}

// Patch is one atomic UpdateItem.
func (s *Rows) Patch(ctx context.Context, scope tenant.Scope, t table.Table, id table.RowID, patch table.Patch) (table.Row, error) {
	writer := dynamo.NewWriteID()
	e := stamped(patch, writer)
	e.leave(patch.Token)
	for i, o := range patch.Operations {
		if err := e.operation(t, i, o); err != nil {
			return table.Row{}, err
		}
	}
	if err := e.grow(patch.Operations); err != nil {
		return table.Row{}, err
	}
	expression := "SET " + strings.Join(e.sets, ", ") + " REMOVE " + strings.Join(e.removes, ", ") + e.add
	condition := strings.Join(e.conditions, " AND ")
	out, err := s.Client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.Table, Key: dynamo.Key(rowPK(scope, t.ID), string(id)),
		UpdateExpression: &expression, ConditionExpression: &condition,
		ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
		ReturnValues: types.ReturnValueAllNew, ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		old := toRow(t, failed.Item)
		if writer.In(failed.Item) || old.Bears(patch.Token) { // an earlier attempt, or an earlier try of the request
			return old, nil
		}
		return table.Row{}, patchRefused(t, id, patch.Operations, failed.Item)
	}
	if err != nil {
		return table.Row{}, writeError(err)
	}
	return toRow(t, out.Attributes), nil
}

// leave leaves the token of a request with a key in the row, where it finds it if
// it comes again. It needs room: what is over its time cannot be told unread.
func (e *patchExpression) leave(token string) {
	if token == "" {
		return
	}
	e.names["#tokens"] = attrTokens
	e.values[":token"], e.values[":most"] = dynamo.Text(token), dynamo.Number(table.MaxTokens)
	e.values[":tokens"] = &types.AttributeValueMemberSS{Value: []string{token}}
	e.add = " ADD #tokens :tokens"
	e.conditions = append(e.conditions, "(attribute_not_exists(#tokens) OR NOT contains(#tokens, :token) AND size(#tokens) < :most)")
}

// grow keeps account of the row's size. What the operations bring is in the row
// afterwards, so they are refused if it is too much by itself.
func (e *patchExpression) grow(operations update.Operations) error {
	added := 0
	for _, o := range operations {
		if o.Kind == update.Set || o.Kind == update.Append {
			added += 1 + len(o.Column.Name) + table.Size(o.Value)
		}
	}
	switch {
	case added == 0:
		return nil
	case added > table.MaxRowBytes:
		return table.ErrTooLarge
	}
	e.names["#bytes"] = attrBytes
	e.values[":added"], e.values[":small"], e.values[":room"] = dynamo.Number(int64(added)), dynamo.Number(smallRow), dynamo.Number(int64(table.MaxRowBytes-added))
	e.sets = append(e.sets, "#bytes = if_not_exists(#bytes, :small) + :added")
	room := "#bytes <= :room"
	if smallRow+added <= table.MaxRowBytes {
		room = "(attribute_not_exists(#bytes) OR " + room + ")"
	}
	e.conditions = append(e.conditions, room)
	return nil
}

// patchRefused tells which condition it was: the row is gone, an integer would
// leave its range, or the row may get too large, or bears as many tokens as it
// can. The reference says how the second one sounds.
func patchRefused(t table.Table, id table.RowID, operations update.Operations, old dynamo.Item) error {
	if len(old) == 0 {
		return t.NoRow(id)
	}
	if _, err := operations.Apply(toRow(t, old).Fields); err != nil {
		return err
	}
	return table.ErrMustRead
}

// stamped begins with what every change of a row changes.
func stamped(patch table.Patch, writer dynamo.WriteID) *patchExpression {
	e := &patchExpression{
		sets:       append(writer.Sets(), "#revision = #revision + :one", "#updated = :updated"),
		removes:    []string{"#deletion"},
		conditions: []string{"attribute_exists(#pk)", writer.Absent()},
		names: map[string]string{
			"#pk": "pk", "#revision": attrRevision, "#updated": attrUpdatedAt, "#deletion": attrDeletion, "#origin": attrOrigin,
		},
		values: writer.Values(),
	}
	e.values[":one"], e.values[":updated"] = dynamo.Number(1), dynamo.Number(patch.UpdatedAt)
	if patch.Origin == (table.Origin{}) {
		e.removes = append(e.removes, "#origin")
	} else {
		e.sets = append(e.sets, "#origin = :origin")
		e.values[":origin"] = originMark(patch.Origin)
	}
	if len(patch.Operations) > 0 {
		e.names["#fields"] = attrFields
	}
	return e
}

// operation adds one of the operations that table.Patchable lets through.
func (e *patchExpression) operation(t table.Table, i int, o update.Operation) error {
	c, ok := t.Column(o.Column.Name)
	if !ok {
		return errs.Invalid("field %q does not exist", o.Column.Name)
	}
	name, operand := fmt.Sprintf("#c%d", i), fmt.Sprintf(":v%d", i)
	path := "#fields." + name
	e.names[name] = c.Key
	if o.Kind == update.Unset {
		e.removes = append(e.removes, path)
		return nil
	}
	if !storable(o.Value) {
		return errOutOfRange(o.Column.Name)
	}
	e.values[operand] = toAttribute(o.Value)
	switch o.Kind {
	case update.Set:
		e.sets = append(e.sets, path+" = "+operand)
	case update.Append:
		e.values[":empty"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{}}
		e.sets = append(e.sets, fmt.Sprintf("%s = list_append(if_not_exists(%s, :empty), %s)", path, path, operand))
	case update.IncrBy:
		e.values[":zero"] = dynamo.Number(0)
		e.sets = append(e.sets, fmt.Sprintf("%s = if_not_exists(%s, :zero) + %s", path, path, operand))
		e.bound(i, path, o)
	default:
		return fmt.Errorf("dynamo: %s cannot be patched", o.Kind)
	}
	return nil
}

// bound keeps an incremented integer within its range.
func (e *patchExpression) bound(i int, path string, o update.Operation) {
	by, isInteger := o.Value.(int64)
	if !isInteger {
		return
	}
	low, high := fmt.Sprintf(":low%d", i), fmt.Sprintf(":high%d", i)
	e.values[low] = dynamo.Number(max(-value.MaxInteger, -value.MaxInteger-by))
	e.values[high] = dynamo.Number(min(value.MaxInteger, value.MaxInteger-by))
	e.conditions = append(e.conditions, fmt.Sprintf("(attribute_not_exists(%s) OR %s BETWEEN %s AND %s)", path, path, low, high))
}
