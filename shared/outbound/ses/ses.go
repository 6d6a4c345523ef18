// Package ses sends emails with Amazon SES.
package ses

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"minicloud/shared/outbound/delivery"
	"minicloud/shared/trigger/action/email"
)

// Client implements email.Sender.
type Client struct {
	SES *sesv2.Client
}

var _ email.Sender = (*Client)(nil)

// New returns a client that makes each call once, without retries.
func New(cfg aws.Config) *Client { return &Client{SES: sesv2.NewFromConfig(delivery.Config(cfg))} }

// Send makes one SendEmail call. SES builds the headers and encodes the subject.
func (c *Client) Send(ctx context.Context, m email.Mail) (id string, err error) {
	in := &sesv2.SendEmailInput{
		FromEmailAddress: &m.From, Destination: &types.Destination{ToAddresses: m.To},
		Content: &types.EmailContent{Simple: &types.Message{
			Subject: content(m.Subject), Body: &types.Body{}, Headers: unsubscribe(m.Unsubscribe),
		}},
	}
	if m.ReplyTo != "" {
		in.ReplyToAddresses = []string{m.ReplyTo}
	}
	if body := in.Content.Simple.Body; m.HTML {
		body.Html = content(m.Body)
	} else {
		body.Text = content(m.Body)
	}

	err = delivery.Call(ctx, func(ctx context.Context) error {
		out, err := c.SES.SendEmail(ctx, in)
		if err == nil {
			id = aws.ToString(out.MessageId)
		}
		return err
	})
	return id, err
}

func content(text string) *types.Content {
	return &types.Content{Data: &text, Charset: aws.String("UTF-8")}
}

// unsubscribe returns the headers of RFC 2369 and, for an https URL that mail programs can call, of RFC 8058.
func unsubscribe(address string) []types.MessageHeader {
	if address == "" {
		return nil
	}
	headers := []types.MessageHeader{{
		Name: aws.String("List-Unsubscribe"), Value: aws.String("<" + address + ">"),
	}}
	if strings.HasPrefix(address, "https:") {
		headers = append(headers, types.MessageHeader{
			Name: aws.String("List-Unsubscribe-Post"), Value: aws.String("List-Unsubscribe=One-Click"),
		})
	}
	return headers
}
