package vendors_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"minicloud/infra/local/vendors"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/outbound/alt"
	"minicloud/shared/outbound/chat"
	"minicloud/shared/outbound/tpay"
	"minicloud/shared/user/idp"
)

// TestExchangesCodes: the clients of the programs get the identities of C11, and refusals for the prefixes of the
// package comment.
func TestExchangesCodes(t *testing.T) {
	server := httptest.NewServer(&vendors.API{Clock: clock.System, Count: func(string) {}})
	defer server.Close()
	at := vendors.Environment(server.URL)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	private := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	who := templatemessage.Identity{AppID: "app", Secret: private}

	onChat := chat.New(at["CHAT_API"], false)
	for v, client := range map[messaging.Vendor]idp.Exchange{
		messaging.Chat: onChat, messaging.Tpay: tpay.New(at["TPAY_API"], false),
		messaging.Alt: alt.New(at["ALT_API"], false, clock.System),
	} {
		for range 2 { // the same person logs in again
			want := idp.Identity{Vendor: v, OpenID: "stub-x"}
			if v != messaging.Alt {
				want.SessionKey = vendors.SessionKey("x")
			}
			if got, err := client.Exchange(t.Context(), who, "x", false); err != nil || !cmp.Equal(got, want) {
				t.Errorf("%s: %+v, %v", v, got, err)
			}
		}
		for _, code := range []string{"", "wrong", "used-x"} {
			if got, err := client.Exchange(t.Context(), who, code, true); !errs.Is(err, errs.KindInvalid) {
				t.Errorf("%s: code %q gives %+v, %v", v, code, got, err)
			}
		}

		got, err := client.Exchange(t.Context(), who, "x~u", true)
		switch {
		case err != nil || got.OpenID != "stub-x~u":
			t.Errorf("%s: %+v, %v", v, got, err)
		case v == messaging.Alt && (got.Profile.Nickname != "stub-x~u" || got.Profile.Gender != 2):
			t.Errorf("alt tells the profile %+v", got.Profile)
		case v != messaging.Alt && got.UnionID != "stub-union-u":
			t.Errorf("%s tells the union id %q", v, got.UnionID)
		}
		for name, wrong := range map[string]templatemessage.Identity{
			"app_id": {Secret: private}, "secret": {AppID: "app", Secret: "wrong"},
		} {
			if got, err := client.Exchange(t.Context(), wrong, "x", false); !errs.Is(err, errs.KindInvalid) {
				t.Errorf("%s with a wrong %s: %+v, %v", v, name, got, err)
			}
		}
	}

	token, _, err := onChat.Token(t.Context(), who, false)
	if err != nil {
		t.Fatal(err)
	}
	if phone, err := onChat.Phone(t.Context(), who, token, "p-13800138000"); err != nil || phone.PureNumber != "13800138000" {
		t.Errorf("phone %+v, %v", phone, err)
	}
	if phone, err := onChat.Phone(t.Context(), who, token, "wrong-13800138000"); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("phone of a wrong code %+v, %v", phone, err)
	}
	if phone, err := onChat.Phone(t.Context(), who, "another", "13800138000"); err == nil {
		t.Errorf("phone with another token %+v", phone)
	}
}
