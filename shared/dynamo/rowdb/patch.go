package rowdb

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/partition"
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// patch builds one UpdateItem of a row.
type patch struct {
	update     expression.UpdateBuilder
	conditions []expression.ConditionBuilder
}

func (p *patch) require(c expression.ConditionBuilder) { p.conditions = append(p.conditions, c) }

// condition joins all conditions in one flat AND: forty nested ones would be too deep.
func (p *patch) condition() expression.ConditionBuilder {
	exists := expression.Name("pk").AttributeExists()
	if len(p.conditions) == 0 {
		return exists
	}
	return exists.And(p.conditions[0], p.conditions[1:]...)
}

// Patch makes one atomic UpdateItem.
func (s *Rows) Patch(
	ctx context.Context, scope tenant.Scope, t table.Table, id table.RowID, change table.Patch,
) (table.Row, error) {
	write := dynamo.NewWriteID()
	p := newPatch(t, change)
	for _, o := range change.Operations {
		if err := p.operation(t, o); err != nil {
			return table.Row{}, err
		}
	}
	if err := p.grow(change.Operations); err != nil {
		return table.Row{}, err
	}
	if permitted := change.Permitted; permitted != nil {
		p.require(permits(*permitted))
	}

	e, err := expression.NewBuilder().WithUpdate(p.update).WithCondition(p.condition()).Build()
	if err != nil {
		return table.Row{}, fmt.Errorf("patch row %s: %w", id, err)
	}
	part := dynamo.Update(
		s.Table, partition.Of(scope, t, id), string(id), *e.Update(), *e.Condition(), e.Values(),
	)
	part.Update.ExpressionAttributeNames = e.Names()
	write.Add(part.Update)
	it, err := dynamo.UpdateItem(ctx, s.Client, part)
	if dynamo.ConditionFailed(err) {
		stored := dynamo.ItemAt(err, 0)
		old := ToRow(t, stored)
		if write.In(stored) || old.HasToken(change.Token) { // an earlier attempt or try wrote it
			return old, nil
		}
		return table.Row{}, patchRefused(t, id, change.Operations, stored)
	}
	if dynamo.AboutDigits(err) { // DynamoDB adds decimals of up to 38 digits, Apply rounds
		return table.Row{}, table.ErrMustRead
	}
	if err != nil {
		return table.Row{}, writeError(err)
	}
	return ToRow(t, it), nil
}

// newPatch returns a patch with the assignments that every change of a row makes.
func newPatch(t table.Table, change table.Patch) *patch {
	revision, fires, tokens := expression.Name(attrRevision), expression.Name(attrFires), expression.Name(attrTokens)
	p := &patch{}
	p.update = p.update.Set(revision, revision.Plus(expression.Value(1))).
		Set(expression.Name(attrUpdatedAt), expression.Value(change.UpdatedAt)).
		Remove(expression.Name(attrDeletion))

	if text := firing(t, t.Listeners.Update, change.Origin); text != "" {
		p.update = p.update.Set(fires, expression.Value(text))
	} else {
		p.update = p.update.Remove(fires)
	}

	if change.Token == "" {
		return p
	}
	// The set must have room for the token: expired tokens cannot be dropped without a read of the row.
	p.update = p.update.Add(tokens, expression.Value(&types.AttributeValueMemberSS{Value: []string{change.Token}}))
	isNew := expression.Not(tokens.Contains(change.Token)).And(tokens.Size().LessThan(expression.Value(table.MaxTokens)))
	p.require(tokens.AttributeNotExists().Or(isNew))
	return p
}

// operation adds one operation. It supports those that table.Patchable accepts.
func (p *patch) operation(t table.Table, o update.Operation) error {
	c, ok := t.Column(o.Column.Name)
	if !ok {
		return errs.Invalid("field %q does not exist", o.Column.Name)
	}
	if !storable(o.Value) {
		return errOutOfRange(o.Column.Name)
	}

	field, operand := fieldName(c), expression.Value(toAttribute(o.Value))
	switch o.Kind {
	case update.Unset:
		p.update = p.update.Remove(field)
	case update.Set:
		p.update = p.update.Set(field, operand)
	case update.Append:
		empty := expression.Value(&types.AttributeValueMemberL{Value: []types.AttributeValue{}})
		p.update = p.update.Set(field, expression.ListAppend(expression.IfNotExists(field, empty), operand))
	case update.IncrBy:
		p.update = p.update.Set(field, expression.Plus(expression.IfNotExists(field, expression.Value(0)), operand))
		// The result must stay in the range of the column.
		var low, high any
		switch by := o.Value.(type) {
		case int64:
			low, high = max(-value.MaxInteger, -value.MaxInteger-by), min(value.MaxInteger, value.MaxInteger-by)
		case float64:
			low, high = -value.MaxNumber-by, value.MaxNumber-by
		}
		p.require(field.AttributeNotExists().Or(field.Between(expression.Value(low), expression.Value(high))))
	default:
		return fmt.Errorf("dynamo: %s cannot be patched", o.Kind)
	}
	return nil
}

// grow adds the size of new values to attrBytes, on the condition that the row stays within MaxRowBytes. It returns
// table.ErrTooLarge if the new values alone exceed it.
func (p *patch) grow(operations update.Operations) error {
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

	bytes := expression.Name(attrBytes)
	before := expression.IfNotExists(bytes, expression.Value(smallRow))
	p.update = p.update.Set(bytes, expression.Plus(before, expression.Value(added)))
	room := bytes.LessThanEqual(expression.Value(table.MaxRowBytes - added))
	// A row without the attribute has at most smallRow bytes, so it fits if this sum does.
	if smallRow+added <= table.MaxRowBytes {
		room = bytes.AttributeNotExists().Or(room)
	}
	p.require(room)
	return nil
}

// patchRefused returns the error for a patch whose condition failed: the row is gone, a number would leave its range,
// the row may become too large or has the maximum number of tokens, or its permissions have changed.
// update.Operations.Apply returns the error for the integer; the others return table.ErrMustRead.
func patchRefused(t table.Table, id table.RowID, operations update.Operations, old dynamo.Item) error {
	if len(old) == 0 {
		return t.NoRow(id)
	}
	if _, err := operations.Apply(ToRow(t, old).Fields); err != nil {
		return err
	}
	return table.ErrMustRead
}
