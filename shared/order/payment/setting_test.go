package payment

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/order"
	"minicloud/shared/secret/sealed/sealedtest"
	"minicloud/shared/tenant"
)

var (
	fresh = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	shop  = tenant.Scope{App: 7, Env: tenant.Production}
)

// shelf is a fake SettingStore; busy simulates concurrent writers.
type shelf struct {
	settings map[string]Setting
	busy     bool
}

func (s *shelf) Setting(_ context.Context, scope tenant.Scope, v Vendor) (Setting, error) {
	if kept, ok := s.settings[scope.String()+string(v)]; ok {
		return kept, nil
	}
	return Setting{}, errs.NotFound("there is none")
}

func (s *shelf) PutSetting(_ context.Context, scope tenant.Scope, v Vendor, next Setting, was time.Time) error {
	if old := s.settings[scope.String()+string(v)]; s.busy || !old.UpdatedAt.Equal(was) {
		return errs.Conflict("somebody else was here")
	}
	s.settings[scope.String()+string(v)] = next
	return nil
}

func words(text string) *string { return &text }

// TestSecretOpensOnlyForItsSetting moves a sealed secret to another environment and vendor, where opening it must fail.
func TestSecretOpensOnlyForItsSetting(t *testing.T) {
	store := &shelf{settings: map[string]Setting{}}
	s := &Settings{Store: store, Sealer: sealedtest.Sealer{}, Clock: clock.Fixed(fresh)}
	put, err := s.Put(t.Context(), shop, Chat, Patch{Secrets: map[string]*string{MerchantKey: words("topsecret")}})
	if err != nil {
		t.Fatal(err)
	}
	if k, err := s.Open(t.Context(), shop, Chat, MerchantKey, APIv3Key); err != nil ||
		!maps.Equal(k.Secret, map[string]string{MerchantKey: "topsecret"}) {
		t.Errorf("%v, %v", k.Secret, err)
	}
	if k, err := s.Open(t.Context(), shop, Chat); err != nil || len(k.Secret) > 0 {
		t.Errorf("what is not asked for is not opened: %v, %v", k.Secret, err)
	}

	trial := tenant.Scope{App: 7, Env: "0123456789abcdef0123"}
	store.settings[trial.String()+"chat"], store.settings[shop.String()+"tpay"] = put, put
	for _, of := range []struct {
		scope  tenant.Scope
		vendor Vendor
	}{{trial, Chat}, {shop, Tpay}} {
		if k, err := s.Open(t.Context(), of.scope, of.vendor, MerchantKey); err == nil {
			t.Errorf("%v opens %v", of, k.Secret)
		}
	}
}

// TestPatchChangesGivenMembers keeps the other members and removes a secret that is null. The update time, which is the
// version, increases even if the clock does not.
func TestPatchChangesGivenMembers(t *testing.T) {
	store := &shelf{settings: map[string]Setting{}}
	s := &Settings{Store: store, Sealer: sealedtest.Sealer{}, Clock: clock.Fixed(fresh)}
	var last Setting
	for i, p := range []Patch{
		{AppID: words(" wx1 "), Secrets: map[string]*string{MerchantKey: words("a"), APIv3Key: words(publishedKey)}},
		{MerchantID: words("m1"), Secrets: map[string]*string{APIv3Key: nil}},
		{BaseURL: words("https://pay.example.com")}, {BaseURL: words("")},
	} {
		next, err := s.Put(t.Context(), shop, Chat, p)
		if err != nil || !next.UpdatedAt.After(last.UpdatedAt) {
			t.Fatalf("step %d: %+v, %v", i, next, err)
		}
		last = next
	}

	if _, has := last.Secrets[APIv3Key]; has || last.AppID != "wx1" || last.MerchantID != "m1" || last.BaseURL != "" ||
		len(last.Secrets) != 1 {
		t.Errorf("%+v", last)
	}

	store.busy = true
	if _, err := s.Put(t.Context(), shop, Chat, Patch{AppID: words("x")}); !errs.Is(err, errs.KindConflict) {
		t.Errorf("beside another change: %v", err)
	}
}

// TestRefusesStaleNotifications: a notification may be five minutes early or late, and its certificate must be
// configured.
func TestRefusesStaleNotifications(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	public := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	k := Keys{Vendor: Chat, Setting: Setting{Certificates: map[string]string{"PUB1": public}}}
	const body = `{"event_type":"COMPLAINT.CREATE"}`

	for age, good := range map[time.Duration]bool{
		0: true, Freshness: true, -Freshness: true, Freshness + time.Second: false, -Freshness - time.Second: false,
	} {
		stamp := fmt.Sprint(fresh.Add(-age).Unix())
		sum := sha256.Sum256([]byte(stamp + "\nonce\n" + body + "\n"))
		raw, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
		if err != nil {
			t.Fatal(err)
		}
		header := http.Header{}
		for name, text := range map[string]string{
			"Timestamp": stamp, "Nonce": "once", "Serial": "PUB1", "Signature": base64.StdEncoding.EncodeToString(raw),
		} {
			header.Set("Anypay-"+name, text)
		}
		header.Set("Other-Signature", "x")
		n := Notification{Body: []byte(body), Signature: SignatureOf(maps.Keys(header), header.Get)}
		if _, told, err := Verify(k, n, fresh); told || (err == nil) != good {
			t.Errorf("%s old: %v", age, err)
		}
		n.Signature.Serial = "PUB2"
		if _, _, err := Verify(k, n, fresh); !errs.Is(err, errs.KindForbidden) {
			t.Errorf("of an unknown certificate: %v", err)
		}
	}
}

func TestAskNamesMissingKeys(t *testing.T) {
	o := order.Order{TradeNo: "T1", TransactionNo: "N1", Total: 150}
	for want, k := range map[string]Keys{
		"merchant_key": {Vendor: Tpay}, "private_key": {Vendor: Alt},
		"private_key is": {
			Vendor: Chat, Setting: Setting{MerchantSerial: "5"}, Secret: map[string]string{PrivateKey: "no PEM"},
		},
	} {
		if _, err := NewQuery(k, o, strings.Repeat("n", 32), fresh); !errs.Is(err, errs.KindInvalid) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", k.Vendor, err, want)
		}
	}
}

// TestRefusesExpiredCertificates in settings and in verification. An expired certificate does not prevent changes of
// other members.
func TestRefusesExpiredCertificates(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(7), NotBefore: fresh.AddDate(-5, 0, 0), NotAfter: fresh.Add(time.Minute),
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))

	now := fresh
	store := &shelf{settings: map[string]Setting{}}
	s := &Settings{Store: store, Sealer: sealedtest.Sealer{}, Clock: func() time.Time { return now }}
	patches := map[string]struct {
		vendor Vendor
		Patch
	}{
		"certificates":         {Chat, Patch{Certificates: map[string]string{"SERIAL7": certificate}}},
		"merchant_certificate": {Chat, Patch{MerchantCertificate: &certificate}},
		"public_key":           {Alt, Patch{PublicKey: &certificate}},
	}

	for name, p := range patches {
		if _, err := s.Put(t.Context(), shop, p.vendor, p.Patch); err != nil {
			t.Errorf("%s that is valid: %v", name, err)
		}
	}

	chat, err := s.Open(t.Context(), shop, Chat)
	if err != nil {
		t.Fatal(err)
	}
	alt, err := s.Open(t.Context(), shop, Alt)
	if err != nil {
		t.Fatal(err)
	}

	const complaint = `{"event_type":"COMPLAINT.CREATE"}`
	const unpaid = "trade_status=WAIT_BUYER_PAY"
	sign := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		raw, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
		if err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(raw)
	}

	verify := func() (json, form error) {
		stamp := fmt.Sprint(now.Unix())
		_, _, json = Verify(chat, Notification{Body: []byte(complaint), Signature: Signature{
			Timestamp: stamp, Nonce: "once", Serial: "SERIAL7", Signature: sign(stamp + "\nonce\n" + complaint + "\n"),
		}}, now)
		body := unpaid + "&sign=" + url.QueryEscape(sign(unpaid))
		_, _, form = Verify(alt, Notification{Body: []byte(body)}, now)
		return json, form
	}

	if json, form := verify(); json != nil || form != nil {
		t.Errorf("by a valid certificate: %v, %v", json, form)
	}

	now = fresh.Add(2 * time.Minute)
	for name, p := range patches {
		if _, err := s.Put(t.Context(), shop, p.vendor, p.Patch); !errs.Is(err, errs.KindInvalid) ||
			!strings.HasPrefix(err.Error(), name) || !strings.Contains(err.Error(), "expired") {
			t.Errorf("%s that has expired: %v", name, err)
		}
	}

	if json, form := verify(); !errs.Is(json, errs.KindForbidden) || !strings.Contains(json.Error(), "SERIAL7: the certificate expired") ||
		!errs.Is(form, errs.KindForbidden) || !strings.Contains(form.Error(), "public_key: the certificate expired") {
		t.Errorf("by an expired certificate: %v, %v", json, form)
	}

	for _, v := range []Vendor{Chat, Alt} {
		if _, err := s.Put(t.Context(), shop, v, Patch{BaseURL: words("https://pay.example.com")}); err != nil {
			t.Errorf("%s, another member: %v", v, err)
		}
	}
}

// TestRefundURLIsNoAddressOfTheDeployment: requests to addresses of the deployment may reach private networks.
func TestRefundURLIsNoAddressOfTheDeployment(t *testing.T) {
	for refundURL, deployed := range map[string]bool{"": true, "http://refunds.example.com": false} {
		keys := Keys{
			Vendor: Chat, Setting: Setting{BaseURL: "http://pay.example.com", RefundURL: refundURL},
			Secret: map[string]string{MerchantKey: "key"}, Deployed: true,
		}
		paid, refund := order.Order{TradeNo: "1", Total: 5}, order.RefundRequest{No: "r", Amount: 5}
		q, err := NewRefundQuery(keys, paid, refund, "nonce", time.Unix(1, 0))
		if err != nil || q.Deployed != deployed {
			t.Errorf("refund_url %q: deployed %v, %v", refundURL, q.Deployed, err)
		}
	}
}
