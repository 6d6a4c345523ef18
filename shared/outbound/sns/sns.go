// Package sns sends text messages with Amazon SNS.
package sns

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sns/types"

	"minicloud/shared/outbound/delivery"
	"minicloud/shared/trigger/action/sms"
)

// Client implements sms.Sender.
type Client struct {
	SNS *sns.Client
}

// New returns a client that makes each call once, without retries.
func New(cfg aws.Config) *Client { return &Client{SNS: sns.NewFromConfig(delivery.Config(cfg))} }

// Send makes one Publish call. Transactional selects the more reliable route over the cheaper one.
func (c *Client) Send(ctx context.Context, m sms.Message) error {
	return delivery.Call(ctx, func(ctx context.Context) error {
		_, err := c.SNS.Publish(ctx, &sns.PublishInput{
			PhoneNumber: &m.Number, Message: &m.Text,
			MessageAttributes: map[string]types.MessageAttributeValue{
				"AWS.SNS.SMS.SMSType": {DataType: aws.String("String"), StringValue: aws.String("Transactional")},
			},
		})
		return err
	})
}
