package settingdb

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/message/messaging"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// Messages implements messaging.Store for one kind of setting:
//
//	pk = <scope>#setting   sk = mail | sms | message#<vendor> | login#<provider>   the setting as JSON, its secrets sealed
type Messages[T any] struct {
	Client *dynamo.Client
	Table  string
	Kind   string // mail, sms, message# and a vendor, or login# and a provider
}

// Providers implements messaging.ProviderStore by Messages.
type Providers struct {
	Client *dynamo.Client
	Table  string
}

const loginSK = "login#"

// Provider returns the store of one provider's setting.
func (s *Providers) Provider(p messaging.Provider) messaging.Store[messaging.VendorSetting] {
	return &Messages[messaging.VendorSetting]{Client: s.Client, Table: s.Table, Kind: loginSK + string(p)}
}

// List makes one Query.
func (s *Providers) List(
	ctx context.Context, scope tenant.Scope, r page.Request,
) (page.Page[messaging.ProviderSetting], error) {
	in := named(s.Table, settingPK(scope), loginSK, r)
	list := func(yield func(messaging.ProviderSetting, error) bool) {
		for it, err := range dynamo.Each[providerItem](ctx, s.Client, in) {
			one := messaging.ProviderSetting{Provider: messaging.Provider(strings.TrimPrefix(it.SK, loginSK))}
			if err == nil {
				err = json.Unmarshal([]byte(it.Setting), &one.VendorSetting)
			}
			if err == nil && one.IsZero() {
				continue
			}
			if !yield(one, err) {
				return
			}
		}
	}
	return page.Collect(r, list, nil, func(one messaging.ProviderSetting) page.Cursor { return page.Cursor(one.Provider) })
}

// named returns the query for a page of items by their names: their sort keys are a prefix, which ends with "#", and the
// name, which is also the cursor.
func named(table, pk, prefix string, r page.Request) *dynamo.QueryInput {
	from := prefix
	if r.After != "" {
		from += string(r.After) + "\x00" // after the cursor
	}
	// $ follows # in ASCII.
	return dynamo.Query(table, pk, from, strings.TrimSuffix(prefix, "#")+"$", false, r.Skip()+r.Limit+1)
}

// Vendors returns the stores of the vendors' settings.
func Vendors(client *dynamo.Client, table string) map[messaging.Vendor]messaging.Store[messaging.VendorSetting] {
	stores := map[messaging.Vendor]messaging.Store[messaging.VendorSetting]{}
	for _, v := range messaging.Vendors {
		stores[v] = &Messages[messaging.VendorSetting]{Client: client, Table: table, Kind: "message#" + string(v)}
	}
	return stores
}

// providerItem is what a list reads of the setting of a login provider.
type providerItem struct {
	SK      string `dynamodbav:"sk"`
	Setting string `dynamodbav:"setting"`
}

type messagesItem struct {
	Setting   string          `dynamodbav:"setting"`
	UpdatedAt int64           `dynamodbav:"updated_at"` // Unix milliseconds
	Tokens    writetoken.List `dynamodbav:"tokens,omitempty"`
}

// Setting makes one GetItem.
func (s *Messages[T]) Setting(ctx context.Context, scope tenant.Scope) (kept messaging.Kept[T], err error) {
	it, err := dynamo.Get[messagesItem](ctx, s.Client, s.Table, settingPK(scope), s.Kind,
		errs.NotFound("there is no %s setting", s.Kind))
	if err != nil {
		return kept, err
	}

	kept.UpdatedAt, kept.Tokens = time.UnixMilli(it.UpdatedAt).UTC(), it.Tokens
	if err := json.Unmarshal([]byte(it.Setting), &kept.Value); err != nil {
		return kept, fmt.Errorf("%s setting: %w", s.Kind, err)
	}
	return kept, nil
}

// PutSetting runs one transaction of one put.
func (s *Messages[T]) PutSetting(ctx context.Context, scope tenant.Scope, next messaging.Kept[T], was time.Time) error {
	return dynamo.DoTransact(ctx, s.Client, "put "+s.Kind+" setting",
		errs.Conflict("the %s setting is being changed by another request", s.Kind),
		dynamo.PutUnchanged(s.Table, dynamo.Encode(settingPK(scope), s.Kind, messagesItem{
			Setting: string(dynamo.JSON(next.Value)), UpdatedAt: next.UpdatedAt.UnixMilli(), Tokens: next.Tokens,
		}), "updated_at", was))
}
