package userdb

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
)

// FormIDs implements consent.FormIDStore, beside the account of each user:
//
//	pk = <scope>#user#<id>   sk = form#<vendor>#<form id>   kind, uses, and the names that spent it (a set)
type FormIDs struct {
	Client *dynamo.Client
	Table  string
}

type formIDItem struct {
	SK      string   `dynamodbav:"sk"`
	Kind    string   `dynamodbav:"kind"`
	Sends   int      `dynamodbav:"sends"`
	Spent   []string `dynamodbav:"spent,stringset,omitempty"`
	Expires int64    `dynamodbav:"expires_at"` // Unix seconds
}

const formIDPrefix = "form#"

func formIDSK(v messaging.Vendor, id string) string { return formIDPrefix + string(v) + "#" + id }

func (it formIDItem) formID(u user.ID) consent.FormID {
	vendor, id, _ := strings.Cut(strings.TrimPrefix(it.SK, formIDPrefix), "#")
	return consent.FormID{
		User: u, Vendor: messaging.Vendor(vendor), Kind: consent.Kind(it.Kind), ID: id,
		Sends: it.Sends, Spent: it.Spent, Expires: time.Unix(it.Expires, 0).UTC(),
	}
}

// Insert makes one conditional PutItem. It does not replace an expired form id that is not deleted yet.
func (s *FormIDs) Insert(ctx context.Context, scope tenant.Scope, f consent.FormID) (consent.FormID, error) {
	item := formIDItem{SK: formIDSK(f.Vendor, f.ID), Kind: string(f.Kind), Sends: f.Sends, Expires: f.Expires.Unix()}
	put := dynamo.Put(s.Table, dynamo.Encode(userPK(scope, f.User), item.SK, item), dynamo.NotExists, nil)
	err := dynamo.Write(ctx, s.Client, put)
	if !dynamo.ConditionFailed(err) {
		return f, dynamo.Wrap("keep a form id", err)
	}
	kept, err := dynamo.Decode[formIDItem](dynamo.ItemAt(err, 0))
	return kept.formID(f.User), err
}

// Of makes one Query.
func (s *FormIDs) Of(
	ctx context.Context, scope tenant.Scope, u user.ID, v messaging.Vendor, now time.Time,
) ([]consent.FormID, error) {
	prefix := formIDPrefix
	if v != "" {
		prefix += string(v) + "#"
	}
	items, err := dynamo.All[formIDItem](ctx, s.Client, dynamo.Query(
		s.Table, userPK(scope, u), prefix, prefix+"\x7f", false, 0,
	))
	if err != nil {
		return nil, err
	}

	var all []consent.FormID
	for _, it := range items {
		// DynamoDB deletes expired items late.
		if it.Expires > now.Unix() {
			all = append(all, it.formID(u))
		}
	}
	return all, nil
}

// Spend makes one conditional UpdateItem. A repeated attempt after a lost answer finds its name in the set.
func (s *FormIDs) Spend(ctx context.Context, scope tenant.Scope, f consent.FormID, name string, now time.Time) error {
	return s.update(ctx, scope, f, errs.Conflict("the form id is spent"), "ADD spent :set",
		"expires_at > :now AND (attribute_not_exists(spent) OR size(spent) < sends OR contains(spent, :name))",
		dynamo.Item{":set": set(name), ":name": dynamo.Text(name), ":now": dynamo.Instant(now)})
}

// Return makes one UpdateItem. A deleted form id is no error.
func (s *FormIDs) Return(ctx context.Context, scope tenant.Scope, f consent.FormID, name string) error {
	return s.update(ctx, scope, f, nil, "DELETE spent :set", dynamo.Exists, dynamo.Item{":set": set(name)})
}

// Void makes one UpdateItem. A deleted form id is no error.
func (s *FormIDs) Void(ctx context.Context, scope tenant.Scope, f consent.FormID) error {
	return s.update(ctx, scope, f, nil, "SET sends = :none", dynamo.Exists, dynamo.Item{":none": dynamo.Number(0)})
}

func (s *FormIDs) update(
	ctx context.Context, scope tenant.Scope, f consent.FormID, refused error, expression, condition string,
	values dynamo.Item,
) error {
	return dynamo.Do(ctx, s.Client, "change a form id", refused, dynamo.Update(
		s.Table, userPK(scope, f.User), formIDSK(f.Vendor, f.ID), expression, condition, values,
	))
}

// set returns a string set of one name.
func set(name string) types.AttributeValue {
	return &types.AttributeValueMemberSS{Value: []string{name}}
}
