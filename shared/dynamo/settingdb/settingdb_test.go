package settingdb_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo/settingdb"
	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/message/allowance"
	"minicloud/shared/message/messaging"
	"minicloud/shared/order/payment"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
)

var (
	noon   = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	shop   = tenant.Scope{App: 7, Env: tenant.Production}
	others = []tenant.Scope{{App: 7, Env: "0123456789abcdef0123"}, {App: 8, Env: tenant.Production}}
)

// TestReadsPaymentSettingAsWritten: every field is read back, and only in its own environment and for its own vendor.
func TestReadsPaymentSettingAsWritten(t *testing.T) {
	s := &settingdb.Payments{Client: dynamotest.Start(t, "SettingsTable"), Table: "SettingsTable"}
	want := payment.Setting{
		AppID: "wx1", MerchantID: "m1", BaseURL: "https://pay.example.com", PublicKey: "PEM", MerchantSerial: "5157F0",
		Certificates: map[string]string{"PUB1": "PEM", "PUB2": "PEM 2"},
		Secrets: map[string]sealed.Text{
			payment.MerchantKey: {Key: []byte{0, 1, 255}, Box: []byte{2}}, payment.APIv3Key: {Key: []byte{3}, Box: []byte{4}},
		},
		UpdatedAt: noon.Add(time.Millisecond), Tokens: writetoken.List("a b"),
	}
	if err := s.PutSetting(t.Context(), shop, payment.Chat, want, time.Time{}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Setting(t.Context(), shop, payment.Chat)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}

	for _, scope := range others {
		if _, err := s.Setting(t.Context(), scope, payment.Chat); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%s: %v", scope, err)
		}
	}
	if _, err := s.Setting(t.Context(), shop, payment.Alt); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("alt: %v", err)
	}
}

// TestOneOfManyWritersWins: one of ten writers that have read the same setting wins; a writer that has read an older
// one, or none, gets a conflict.
func TestOneOfManyWritersWins(t *testing.T) {
	client := dynamotest.Start(t, "SettingsTable")
	payments := &settingdb.Payments{Client: client, Table: "SettingsTable"}
	mails := &settingdb.Messages[messaging.Mail]{Client: client, Table: "SettingsTable", Kind: "mail"}
	for name, put := range map[string]func(at, was time.Time) error{
		"payment": func(at, was time.Time) error {
			return payments.PutSetting(t.Context(), shop, payment.Tpay, payment.Setting{UpdatedAt: at}, was)
		},
		"mail": func(at, was time.Time) error {
			return mails.PutSetting(t.Context(), shop, messaging.Kept[messaging.Mail]{UpdatedAt: at}, was)
		},
	} {
		was := time.Time{}
		for round := range 3 {
			var made atomic.Int32
			var group sync.WaitGroup
			next := noon.Add(time.Duration(round) * time.Second)
			for range 10 {
				group.Go(func() {
					switch err := put(next, was); {
					case err == nil:
						made.Add(1)
					case !errs.Is(err, errs.KindConflict):
						t.Errorf("%s: %v", name, err)
					}
				})
			}
			group.Wait()
			if made.Load() != 1 {
				t.Errorf("%s, round %d: %d changes were made", name, round, made.Load())
			}
			was = next
		}

		for _, old := range []time.Time{{}, noon} {
			if err := put(noon.Add(time.Hour), old); !errs.Is(err, errs.KindConflict) {
				t.Errorf("%s, by who saw that of %s: %v", name, old, err)
			}
		}
	}
}

// TestReadsMessageSettingsAsWritten: mail and SMS settings are stored side by side.
func TestReadsMessageSettingsAsWritten(t *testing.T) {
	client := dynamotest.Start(t, "SettingsTable")
	mails := &settingdb.Messages[messaging.Mail]{Client: client, Table: "SettingsTable", Kind: "mail"}
	texts := &settingdb.Messages[messaging.SMS]{Client: client, Table: "SettingsTable", Kind: "sms"}
	mail := messaging.Kept[messaging.Mail]{
		Value: messaging.Mail{Sender: "shop@example.com", ReplyTo: "ada@example.com"}, UpdatedAt: noon, Tokens: "a",
	}
	if err := mails.PutSetting(t.Context(), shop, mail, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if _, err := texts.Setting(t.Context(), shop); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("sms before it is put: %v", err)
	}
	sms := messaging.Kept[messaging.SMS]{
		Value:     messaging.SMS{Enabled: true, Signatures: []messaging.Signature{{Name: "shop"}}},
		UpdatedAt: noon.Add(time.Second),
	}
	if err := texts.PutSetting(t.Context(), shop, sms, time.Time{}); err != nil {
		t.Fatal(err)
	}

	gotMail, err := mails.Setting(t.Context(), shop)
	if diff := cmp.Diff(mail, gotMail); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	gotSMS, err := texts.Setting(t.Context(), shop)
	if diff := cmp.Diff(sms, gotSMS); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, scope := range others {
		if _, err := mails.Setting(t.Context(), scope); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("%s: %v", scope, err)
		}
	}
}

// TestLostAnswers: a write repeated after a lost answer succeeds.
func TestLostAnswers(t *testing.T) {
	lossy, ctx := &dynamotest.Lossy{}, t.Context()
	client := lossy.Over(dynamotest.Start(t, "SettingsTable"))
	payments := &settingdb.Payments{Client: client, Table: "SettingsTable"}
	mails := &settingdb.Messages[messaging.Mail]{Client: client, Table: "SettingsTable", Kind: "mail"}
	allowances := &settingdb.Allowances{Client: client, Table: "SettingsTable"}
	sender := allowance.Sender{Address: "shop@example.com", Status: allowance.Verifying, Token: "a"}
	bounce := allowance.Feedback{ID: "1", Kind: allowance.Bounce, Address: "reader@example.com", At: noon}
	for i, do := range []func() error{
		func() error {
			return payments.PutSetting(ctx, shop, payment.Chat, payment.Setting{UpdatedAt: noon}, time.Time{})
		},
		func() error {
			return mails.PutSetting(ctx, shop, messaging.Kept[messaging.Mail]{UpdatedAt: noon}, time.Time{})
		},
		func() error { return allowances.AskSender(ctx, shop.App, sender) },
		func() error { _, err := allowances.Record(ctx, shop.App, bounce); return err },
		func() error { return allowances.Unsuppress(ctx, shop.App, bounce.Address) },
	} {
		lossy.Cut.Store(true)
		if err := do(); err != nil || lossy.Lost != i+1 {
			t.Errorf("write %d: %v after %d lost answers", i, err, lossy.Lost)
		}
	}
}
