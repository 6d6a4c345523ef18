package dynamo

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"minicloud/shared/errs"
)

// Format is the newest form of stored items that this release reads. An item that releases of a lower Format would
// misread carries the number it needs in FormatAttribute; an item without it has form 1. A new form is read one
// release before it is written, so that a canary can be rolled back: see infra/decisions/0139-forms-of-items.md.
const Format = 1

// FormatAttribute is the attribute with the form of an item.
const FormatAttribute = "format"

// refuseNewer makes each call fail that returns an item of a newer release: to misread it would be worse. A read that
// projects attributes does not see the form, unless it also projects FormatAttribute.
func refuseNewer(stack *middleware.Stack) error {
	return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("RefuseNewerItems", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		out, metadata, err := next.HandleInitialize(ctx, in)
		if newer := known(append(returned(out.Result), refusing(err)...)...); newer != nil {
			err = newer
		}
		return out, metadata, err
	}), middleware.After)
}

// returned returns the items in the output of a call.
func returned(output any) []Item {
	switch out := output.(type) {
	case *dynamodb.GetItemOutput:
		return []Item{out.Item}
	case *dynamodb.QueryOutput:
		return out.Items
	case *dynamodb.ScanOutput:
		return out.Items
	case *dynamodb.UpdateItemOutput:
		return []Item{out.Attributes}
	case *dynamodb.DeleteItemOutput:
		return []Item{out.Attributes}
	case *dynamodb.BatchGetItemOutput:
		var all []Item
		for _, items := range out.Responses {
			all = append(all, items...)
		}
		return all
	}
	return nil
}

// refusing returns the items that failed the conditions of a write.
func refusing(err error) []Item {
	if single, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return []Item{single.Item}
	}
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		return nil
	}
	var all []Item
	for _, reason := range cancelled.CancellationReasons {
		all = append(all, reason.Item)
	}
	return all
}

// known returns errs.Unavailable if one of the items needs a newer release: a request that is tried again meets that
// release, or the migration's end.
func known(items ...Item) error {
	for _, it := range items {
		if form, given := it[FormatAttribute]; given && IntegerOf(form) > Format {
			return errs.Unavailable(1, "this was stored by a newer version of the platform, try again")
		}
	}
	return nil
}
