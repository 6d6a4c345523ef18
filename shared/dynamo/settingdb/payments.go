// Package settingdb stores the settings of applications in DynamoDB. It implements payment.SettingStore,
// messaging.Store and templatemessage.TokenStore.
package settingdb

import (
	"context"
	"time"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/order/payment"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

// Payments implements payment.SettingStore:
//
//	pk = <scope>#setting   sk = payment#<vendor>   the setting of a vendor, its secrets sealed
type Payments struct {
	Client *dynamo.Client
	Table  string
}

// paymentItem is the stored form of a payment.Setting.
type paymentItem struct {
	AppID               string                 `dynamodbav:"app_id"`
	MerchantID          string                 `dynamodbav:"merchant_id"`
	BaseURL             string                 `dynamodbav:"base_url"`
	PublicKey           string                 `dynamodbav:"public_key"`
	Certificates        map[string]string      `dynamodbav:"certificates"`
	MerchantSerial      string                 `dynamodbav:"merchant_serial"`
	MerchantCertificate string                 `dynamodbav:"merchant_certificate,omitempty"`
	RefundURL           string                 `dynamodbav:"refund_url,omitempty"`
	OperatorID          string                 `dynamodbav:"operator_id,omitempty"`
	Secrets             map[string]sealed.Text `dynamodbav:"secrets"`
	UpdatedAt           time.Time              `dynamodbav:"updated_at"`
	Tokens              writetoken.List        `dynamodbav:"tokens,omitempty"`
}

func settingPK(scope tenant.Scope) string    { return scope.String() + "#setting" }
func paymentSK(vendor payment.Vendor) string { return "payment#" + string(vendor) }

// Setting makes one GetItem.
func (s *Payments) Setting(ctx context.Context, scope tenant.Scope, v payment.Vendor) (payment.Setting, error) {
	it, err := dynamo.Get[paymentItem](ctx, s.Client, s.Table, settingPK(scope), paymentSK(v),
		errs.NotFound("there is no payment setting for %s", v))
	return payment.Setting(it), err
}

// PutSetting runs one transaction of one put.
func (s *Payments) PutSetting(
	ctx context.Context, scope tenant.Scope, v payment.Vendor, next payment.Setting, was time.Time,
) error {
	return dynamo.DoTransact(ctx, s.Client, "put payment setting",
		errs.Conflict("the payment setting for %s is being changed by another request", v),
		dynamo.PutUnchanged(s.Table, dynamo.Encode(settingPK(scope), paymentSK(v), paymentItem(next)), "updated_at", was))
}
