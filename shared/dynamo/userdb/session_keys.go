package userdb

import (
	"context"

	"minicloud/shared/dynamo"
	"minicloud/shared/message/messaging"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// SessionKeys implements idp.KeyStore. The keys are beside the account of each user and are deleted with it:
//
//	pk = <scope>#user#<id>   sk = vendor-key#<vendor>   the sealed session key of the last login
type SessionKeys struct {
	Client *dynamo.Client
	Table  string
}

type sessionKeyItem struct {
	DataKey []byte `dynamodbav:"data_key"` // sealed
	Box     []byte `dynamodbav:"box"`
}

func vendorKeySK(v messaging.Vendor) string { return "vendor-key#" + string(v) }

// Key makes one read.
func (s *SessionKeys) Key(
	ctx context.Context, scope tenant.Scope, id user.ID, v messaging.Vendor,
) (sealed.Text, error) {
	it, err := dynamo.Get[sessionKeyItem](ctx, s.Client, s.Table, userPK(scope, id), vendorKeySK(v), nil)
	return sealed.Text{Key: it.DataKey, Box: it.Box}, err
}

// PutKey makes one write.
func (s *SessionKeys) PutKey(
	ctx context.Context, scope tenant.Scope, id user.ID, v messaging.Vendor, key sealed.Text,
) error {
	it := dynamo.Encode(userPK(scope, id), vendorKeySK(v), sessionKeyItem{DataKey: key.Key, Box: key.Box})
	return dynamo.Do(ctx, s.Client, "put session key", nil, dynamo.Put(s.Table, it, "", nil))
}
