// Package ses sends emails with Amazon SES, and verifies its identities.
//
// Each application is a tenant of SES. SES sends for a tenant only with the identities that are associated with it, and
// the roles of programs allow sending only for the tenants of this deployment. So a program that mixes up two
// applications is refused, although every identity is verified in the same account.
package ses

import (
	"context"
	"fmt"
	"net/mail"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"minicloud/shared/errs"
	"minicloud/shared/message/allowance"
	"minicloud/shared/message/messaging"
	"minicloud/shared/outbound/delivery"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/action/email"
)

// Account is what a deployment has in SES.
type Account struct {
	ConfigurationSet string // ARN; its events are the bounces and complaints
	Tenants          string // prefix of the names of tenants
}

// tenant returns the tenant of an application; application 0 is the platform.
func (a Account) tenant(app tenant.AppID) string {
	return a.Tenants + "-" + strconv.FormatInt(int64(app), 10)
}

// set returns the name of the configuration set.
func (a Account) set() string {
	return a.ConfigurationSet[strings.LastIndexByte(a.ConfigurationSet, '/')+1:]
}

// Names of the tags of a mail. The events of a mail have them.
const (
	TagApplication = "miniapp"
	TagSender      = "sender" // allowance.Key
)

// Client implements email.Sender.
type Client struct {
	SES     *sesv2.Client
	Account Account
}

// New returns a client that makes each call once, without retries.
func New(cfg aws.Config, account Account) *Client {
	return &Client{SES: sesv2.NewFromConfig(delivery.Config(cfg)), Account: account}
}

// Send makes one SendEmail call. SES builds the headers and encodes the subject.
func (c *Client) Send(ctx context.Context, m email.Mail) (sent email.Receipt, err error) {
	from, key, err := fromOf(m.From)
	if err != nil {
		return sent, err
	}
	in := &sesv2.SendEmailInput{
		FromEmailAddress: &from, Destination: &types.Destination{ToAddresses: m.To},
		ConfigurationSetName: aws.String(c.Account.set()), TenantName: aws.String(c.Account.tenant(m.Scope.App)),
		EmailTags: []types.MessageTag{
			{Name: aws.String(TagApplication), Value: aws.String(strconv.FormatInt(int64(m.Scope.App), 10))},
			{Name: aws.String(TagSender), Value: &key},
		},
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
			sent.ID = aws.ToString(out.MessageId)
		}
		return err
	})
	// Of all denials, this is the one that the owner of the application can correct.
	if err != nil && strings.Contains(err.Error(), notAssociated) {
		invalid := errs.Invalid("sender: confirm it again, Amazon SES does not know that it is yours")
		return sent, fmt.Errorf("%w: %w", invalid, err)
	}
	return sent, err
}

// notAssociated begins the message with which SES denies a mail whose sender is not associated with its tenant
// (floci-io/floci#2815).
const notAssociated = "Tenant not associated with resources"

// fromOf returns a sender with its address in lower case, and the key of the address. SES compares addresses with their
// case, so one spelling must stand for all.
func fromOf(sender string) (from, key string, err error) {
	mailbox, err := messaging.Mailbox(sender)
	if err != nil {
		return "", "", err
	}
	parsed, err := mail.ParseAddress(sender)
	if err != nil || parsed.Name == "" {
		return mailbox, allowance.Key(mailbox), nil
	}
	parsed.Address = mailbox
	return parsed.String(), allowance.Key(mailbox), nil
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
