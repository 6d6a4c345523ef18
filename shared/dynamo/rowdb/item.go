package rowdb

import (
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/language/value"
	"minicloud/shared/permission"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// The attributes of a row. Its columns' values are in one map, by Column.Key, so that no column can collide with an
// attribute.
const (
	attrFields    = "fields"
	attrRevision  = "revision"
	attrUpdatedAt = "updated_at"
	attrCreatedBy = "created_by"
	// attrPerm is the text of permission.Lists.
	attrPerm = "perm"
	// attrFires marks a row whose last change fires triggers. attrDeletion marks a row whose deletion, which follows at
	// once, will fire triggers: otherwise the stream's last image of the deleted row could not tell. Both hold the text
	// of firing. The stream's filters select by them, so changes that fire nothing start no program.
	attrFires    = "fires"
	attrDeletion = "deletion"
	// attrBytes is an upper bound of table.Size of the fields. An expression of DynamoDB cannot compute the size, so a
	// patch adds the most that it may add, and a write of the whole row stores the exact size. A row without the
	// attribute has at most smallRow bytes.
	attrBytes = "bytes"
	// attrTokens is a string set: the write tokens of changes with an Idempotency-Key (D8).
	attrTokens = "tokens"
)

// smallRow is the size in bytes up to which a row needs no attrBytes.
const smallRow = 64 << 10

// rowAttributes lists the attributes of a row, without its key and WriteIDs. A write of the whole row removes those
// that fromRow did not set.
var rowAttributes = []string{
	attrFields, attrRevision, attrUpdatedAt, attrCreatedBy, attrPerm, attrFires, attrDeletion, attrBytes, attrTokens,
}

func fromRow(scope tenant.Scope, t table.Table, r table.Row) (dynamo.Item, error) {
	fields := make(dynamo.Item, len(r.Fields))
	for _, c := range t.Columns {
		v, ok := r.Fields[c.Name]
		if !ok || v == nil {
			continue
		}
		if !storable(v) {
			return nil, errOutOfRange(c.Name)
		}

		fields[c.Key] = toAttribute(v)
	}

	it := Key(scope, t, r.ID)
	it[attrFields] = &types.AttributeValueMemberM{Value: fields}
	it[attrRevision] = dynamo.Number(r.Revision)
	it[attrUpdatedAt] = dynamo.Number(r.UpdatedAt)
	it[attrCreatedBy] = dynamo.Number(r.CreatedBy)
	it[attrPerm] = dynamo.Text(permission.Lists(r.Perm.Read, r.Perm.Write))
	// A missing size means at most smallRow (see patch.grow), so small rows save the attribute.
	if size := table.Size(r.Fields); size > smallRow {
		it[attrBytes] = dynamo.Number(int64(size))
	}
	if len(r.Tokens) > 0 {
		it[attrTokens] = &types.AttributeValueMemberSS{Value: r.Tokens}
	}

	return it, nil
}

func errOutOfRange(field string) error {
	return errs.Invalid(
		"field %q holds a number that cannot be stored: its size must be 0 or between 1e-120 and 1e+120", field,
	)
}

// storable reports whether DynamoDB can store all numbers in v.
func storable(v any) bool {
	switch v := v.(type) {
	case float64:
		// DynamoDB's numbers end at 10^126, float64 at 10^308.
		return value.Storable(v)
	case []any:
		for _, item := range v {
			if !storable(item) {
				return false
			}
		}
	case map[string]any:
		for _, item := range v {
			if !storable(item) {
				return false
			}
		}
	}
	return true
}

// ToRow converts an item into a row. Missing attributes become zero values.
func ToRow(t table.Table, it dynamo.Item) table.Row {
	r := table.Row{
		ID: table.RowID(dynamo.TextOf(it["sk"])), Revision: dynamo.IntegerOf(it[attrRevision]),
		UpdatedAt: dynamo.IntegerOf(it[attrUpdatedAt]), CreatedBy: dynamo.IntegerOf(it[attrCreatedBy]),
		Deleting: it[attrDeletion] != nil,
	}
	r.Perm.Read, r.Perm.Write = permission.ParseLists(dynamo.TextOf(it[attrPerm]))
	if tokens, ok := it[attrTokens].(*types.AttributeValueMemberSS); ok {
		r.Tokens = tokens.Value
	}

	fields, ok := it[attrFields].(*types.AttributeValueMemberM)
	if !ok {
		return r
	}

	r.Fields = make(map[string]any, len(fields.Value))
	// The item may have values of columns that were removed from the table.
	for _, c := range t.Columns {
		if av, ok := fields.Value[c.Key]; ok {
			r.Fields[c.Name] = ofColumn(c.Column, av)
		}
	}

	return r
}

// ofColumn returns the canonical value of an attribute. The column tells apart types that DynamoDB does not.
func ofColumn(c value.Column, av types.AttributeValue) any {
	switch av := av.(type) {
	case *types.AttributeValueMemberN:
		// DynamoDB has one number type for integers and fractions.
		if c.Type == value.Integer {
			return dynamo.IntegerOf(av)
		}
	case *types.AttributeValueMemberL:
		list := make([]any, len(av.Value))
		for i, item := range av.Value {
			list[i] = ofColumn(c.Item(), item)
		}
		return list
	case *types.AttributeValueMemberM:
		if c.Type == value.Pointer {
			return pointerOf(av)
		}
	}
	return ofAttribute(av)
}

// pointerOf returns a pointer value; its numbers are ids, so they become int64.
func pointerOf(av *types.AttributeValueMemberM) any {
	target := make(map[string]any, len(av.Value))
	for name, part := range av.Value {
		if id, isNumber := part.(*types.AttributeValueMemberN); isNumber {
			target[name] = dynamo.IntegerOf(id)
		} else {
			target[name] = ofAttribute(part)
		}
	}
	return target
}

// ofAttribute returns the JSON value of an attribute; its numbers become float64.
func ofAttribute(av types.AttributeValue) any {
	switch av := av.(type) {
	case *types.AttributeValueMemberS:
		return av.Value
	case *types.AttributeValueMemberN:
		f, err := strconv.ParseFloat(av.Value, 64)
		if err != nil {
			return nil
		}
		return f
	case *types.AttributeValueMemberBOOL:
		return av.Value
	case *types.AttributeValueMemberL:
		list := make([]any, len(av.Value))
		for i, item := range av.Value {
			list[i] = ofAttribute(item)
		}
		return list
	case *types.AttributeValueMemberM:
		object := make(map[string]any, len(av.Value))
		for name, item := range av.Value {
			object[name] = ofAttribute(item)
		}
		return object
	}
	return nil
}

// toAttribute returns the attribute of a canonical value.
func toAttribute(v any) types.AttributeValue {
	switch v := v.(type) {
	case string:
		return dynamo.Text(v)
	case int64:
		return dynamo.Number(v)
	case float64:
		// Precision -1 writes the shortest text that reads back as the same float.
		return &types.AttributeValueMemberN{Value: strconv.FormatFloat(v, 'g', -1, 64)}
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	case []any:
		list := make([]types.AttributeValue, len(v))
		for i, item := range v {
			list[i] = toAttribute(item)
		}
		return &types.AttributeValueMemberL{Value: list}
	case map[string]any:
		object := make(dynamo.Item, len(v))
		for name, field := range v {
			object[name] = toAttribute(field)
		}
		return &types.AttributeValueMemberM{Value: object}
	}
	return &types.AttributeValueMemberNULL{Value: true}
}
