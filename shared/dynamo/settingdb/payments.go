// Package settingdb keeps the settings of applications in DynamoDB: it is the payment.SettingStore and the
// messaging.Store.
package settingdb

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/dynamo"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/order/payment"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

// Payments is the payment.SettingStore:
//
//	pk = <scope>#setting   sk = payment#<vendor>   what is agreed with a vendor, its secrets sealed
type Payments struct {
	Client *dynamodb.Client
	Table  string
}

var _ payment.SettingStore = (*Payments)(nil)

type paymentItem struct {
	AppID        string                 `dynamodbav:"app_id"`
	MerchantID   string                 `dynamodbav:"merchant_id"`
	BaseURL      string                 `dynamodbav:"base_url"`
	PublicKey    string                 `dynamodbav:"public_key"`
	Serial       string                 `dynamodbav:"merchant_serial"`
	Certificates map[string]string      `dynamodbav:"certificates"`
	Secrets      map[string]sealed.Text `dynamodbav:"secrets"`
	UpdatedAt    int64                  `dynamodbav:"updated_at"` // Unix milliseconds
	Tokens       writetoken.List        `dynamodbav:"tokens,omitempty"`
	Certificate  string                 `dynamodbav:"merchant_certificate,omitempty"`
	RefundURL    string                 `dynamodbav:"refund_url,omitempty"`
	OperatorID   string                 `dynamodbav:"operator_id,omitempty"`
}

func settingPK(scope tenant.Scope) string    { return scope.String() + "#setting" }
func paymentSK(vendor payment.Vendor) string { return "payment#" + string(vendor) }

// Setting is one GetItem.
func (s *Payments) Setting(ctx context.Context, scope tenant.Scope, v payment.Vendor) (payment.Setting, error) {
	it, err := dynamo.Get[paymentItem](ctx, s.Client, s.Table, settingPK(scope), paymentSK(v))
	if errs.Is(err, errs.KindNotFound) {
		return payment.Setting{}, errs.NotFound("there is no payment setting for %s", v)
	}
	if err != nil {
		return payment.Setting{}, err
	}
	return payment.Setting{
		AppID: it.AppID, MerchantID: it.MerchantID, BaseURL: it.BaseURL, PublicKey: it.PublicKey, MerchantSerial: it.Serial,
		Certificates: it.Certificates, Secrets: it.Secrets, UpdatedAt: time.UnixMilli(it.UpdatedAt).UTC(),
		Tokens: it.Tokens, MerchantCertificate: it.Certificate, RefundURL: it.RefundURL, OperatorID: it.OperatorID,
	}, nil
}

// PutSetting is one conditional PutItem.
func (s *Payments) PutSetting(
	ctx context.Context, scope tenant.Scope, v payment.Vendor, next payment.Setting, was time.Time,
) error {
	in := &dynamodb.PutItemInput{
		TableName: &s.Table, ConditionExpression: aws.String(dynamo.NotExists),
		Item: dynamo.Encode(settingPK(scope), paymentSK(v), paymentItem{
			AppID: next.AppID, MerchantID: next.MerchantID, BaseURL: next.BaseURL, PublicKey: next.PublicKey,
			Serial: next.MerchantSerial, Certificates: next.Certificates, Secrets: next.Secrets,
			UpdatedAt: next.UpdatedAt.UnixMilli(), Tokens: next.Tokens,
			Certificate: next.MerchantCertificate, RefundURL: next.RefundURL, OperatorID: next.OperatorID,
		}),
	}
	if !was.IsZero() {
		in.ConditionExpression = aws.String("updated_at = :was")
		in.ExpressionAttributeValues = dynamo.Item{":was": dynamo.Number(was.UnixMilli())}
	}

	_, err := s.Client.PutItem(ctx, in)
	if dynamo.ConditionFailed(err) {
		return errs.Conflict("the payment setting for %s is being changed by another request", v)
	}

	return dynamo.Wrap("put payment setting", err)
}
