package consumer_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/functions/platformevent/consumer"
	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/message/allowance"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

const shop tenant.AppID = 7

// mailGroup is a group whose shop has confirmed a sender and sent 20 mails.
func mailGroup(t *testing.T) (*consumer.Group, *settingdb.Allowances, *dead) {
	g, _, letters := newGroup(t)
	store := &settingdb.Allowances{Client: dynamotest.Start(t, "SettingsTable"), Table: "SettingsTable"}
	of := allowance.Sender{Address: "shop@example.com", Status: allowance.CodeSent, Code: "c"}
	if err := store.AskSender(t.Context(), shop, of); err != nil {
		t.Fatal(err)
	}
	if err := store.ConfirmSender(t.Context(), shop, of, "c"); err != nil {
		t.Fatal(err)
	}
	counts := &allowance.Allowance{Store: store, Budgets: allowance.Budgets{Mails: 100}, Clock: clock.Fixed(now)}
	for range 20 {
		if _, err := counts.TakeMail(t.Context(), shop, of.Address, nil, []string{"a@example.com"}); err != nil {
			t.Fatal(err)
		}
	}
	g.Allowance = counts
	return g, store, letters
}

// feedback returns an event of SES as a message of the queue.
func feedback(source, tags, about string) []byte {
	message, err := json.Marshal(events.EventBridgeEvent{
		ID: "e1", DetailType: "Email Bounced", Source: source, Time: now,
		Detail: json.RawMessage(fmt.Sprintf(`{"mail":{"tags":%s},%s}`, tags, about)),
	})
	if err != nil {
		panic(err) // the detail is not JSON
	}
	return message
}

func bounce(kind, subType string, n int) string {
	return fmt.Sprintf(`"bounce":{"bounceType":%q,"bounceSubType":%q,"feedbackId":"b%d","timestamp":"2026-11-22T12:00:00.5Z",
		"bouncedRecipients":[{"emailAddress":"Reader%d@example.com","diagnosticCode":"smtp; 550 unknown"}]}`, kind, subType, n, n)
}

func complaint(kind string) string {
	return fmt.Sprintf(`"complaint":{"complaintFeedbackType":%q,"complaintSubType":null,"feedbackId":"c1",
		"timestamp":"2026-11-22T12:00:00.000Z","complainedRecipients":[{"emailAddress":"one@example.com"},{"emailAddress":"two@example.com"}]}`,
		kind)
}

var ours = fmt.Sprintf(`{"miniapp":["7"],"sender":[%q],"ses:configuration-set":["x"]}`, allowance.Key("shop@example.com"))

// TestFeedbackSuppresses checks which events suppress addresses, and which of them count.
func TestFeedbackSuppresses(t *testing.T) {
	for name, c := range map[string]struct {
		message             []byte
		suppressed          int
		bounced, complained int
		dead                int
	}{
		"hard bounce":                 {feedback("aws.ses", ours, bounce("Permanent", "General", 1)), 1, 1, 0, 0},
		"held back by SES":            {feedback("aws.ses", ours, bounce("Permanent", "OnAccountSuppressionList", 1)), 1, 0, 0, 0},
		"soft bounce":                 {feedback("aws.ses", ours, bounce("Transient", "MailboxFull", 1)), 0, 0, 0, 0},
		"complaint":                   {feedback("aws.ses", ours, complaint("abuse")), 2, 0, 2, 0},
		"taken back":                  {feedback("aws.ses", ours, complaint("not-spam")), 0, 0, 0, 0},
		"a code of the platform":      {feedback("aws.ses", `{}`, bounce("Permanent", "General", 1)), 0, 0, 0, 0},
		"an unknown application":      {feedback("aws.ses", `{"miniapp":["9"]}`, bounce("Permanent", "General", 1)), 0, 0, 0, 1},
		"no application":              {feedback("aws.ses", `{"miniapp":["x"]}`, bounce("Permanent", "General", 1)), 0, 0, 0, 1},
		"somebody who imitates SES":   {feedback("minicloud", ours, bounce("Permanent", "General", 1)), 0, 0, 0, 1},
		"something that is no object": {[]byte(`{"source":"aws.ses","detail":[]}`), 0, 0, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			g, store, letters := mailGroup(t)
			for range 2 { // it may come twice
				if err := g.Consume(t.Context(), c.message); err != nil {
					t.Fatal(err)
				}
			}
			list, err := store.Suppressions(t.Context(), shop, page.Request{Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			count, err := store.Count(t.Context(), shop, allowance.Mails, allowance.Key("shop@example.com"))
			if err != nil || len(list.Objects) != c.suppressed || count.Sender.Bounced != c.bounced ||
				count.Sender.Complained != c.complained || len(letters.reasons) != 2*c.dead {
				t.Errorf("%d suppressed, %+v, %v, %v", len(list.Objects), count.Sender, letters.reasons, err)
			}
		})
	}
}

// TestFeedbackClosesSender closes a sender after ten bounces of twenty mails.
func TestFeedbackClosesSender(t *testing.T) {
	g, store, _ := mailGroup(t)
	for n := range 10 {
		if err := g.Consume(t.Context(), feedback("aws.ses", ours, bounce("Permanent", "General", n))); err != nil {
			t.Fatal(err)
		}
	}
	of, err := store.Sender(t.Context(), shop, allowance.Key("shop@example.com"))
	if err != nil || of.Status != allowance.Closed || of.Reason != "10 of 20 mails bounced; a sender is closed at 5 %" {
		t.Errorf("%+v, %v", of, err)
	}
}
