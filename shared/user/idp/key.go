package idp

import (
	"context"
	"fmt"

	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// KeyStore stores the last session key of each user at each vendor. Reads are consistent.
type KeyStore interface {
	// Key returns the zero value if there is no key.
	Key(ctx context.Context, scope tenant.Scope, id user.ID, v messaging.Vendor) (sealed.Text, error)
	// PutKey replaces the key.
	PutKey(ctx context.Context, scope tenant.Scope, id user.ID, v messaging.Vendor, key sealed.Text) error
}

// ring encrypts session keys with the data key of the vendor's secret. A login opens that secret anyway, so that keeping
// a session key costs no call of KMS. dataKey is that of a stored session key, which may be of an earlier secret.
func (s *Service) ring(scope tenant.Scope, v messaging.Vendor, dataKey []byte) sealed.Ring {
	return sealed.Ring{Sealer: s.Accounts.Sealer, Bound: messaging.SecretBound(scope, v), Key: &dataKey}
}

func keyName(id user.ID) string { return fmt.Sprintf("session-key#%d", id) }

// keepKey stores the session key of a login.
func (s *Service) keepKey(
	ctx context.Context, scope tenant.Scope, id user.ID, at *templatemessage.Account, i Identity,
) error {
	if i.SessionKey == "" {
		return nil
	}
	dataKey := at.Setting.Secrets[i.Vendor.SecretName()].Key
	box, err := s.ring(scope, i.Vendor, dataKey).Seal(ctx, keyName(id), i.SessionKey)
	if err != nil {
		return err
	}
	return s.Keys.PutKey(ctx, scope, id, i.Vendor, sealed.Text{Key: dataKey, Box: box})
}

// keptKey returns the session key of the user's last login, "" if there is none.
func (s *Service) keptKey(ctx context.Context, scope tenant.Scope, id user.ID, v messaging.Vendor) (string, error) {
	kept, err := s.Keys.Key(ctx, scope, id, v)
	if err != nil || len(kept.Box) == 0 {
		return "", err
	}
	return s.ring(scope, v, kept.Key).Open(ctx, keyName(id), kept.Box)
}
