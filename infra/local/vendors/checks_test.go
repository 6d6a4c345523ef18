package vendors_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"testing"

	"minicloud/infra/local/vendors"
	"minicloud/shared/clock"
	"minicloud/shared/message/censor"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/outbound/alt"
	"minicloud/shared/outbound/chat"
	"minicloud/shared/outbound/tpay"
)

// TestChecks: the clients of the programs find risky what the package comment says.
func TestChecks(t *testing.T) {
	server := httptest.NewServer(&vendors.API{Clock: clock.System, Count: func(string) {}})
	defer server.Close()
	at := vendors.Environment(server.URL)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	private := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	who := templatemessage.Identity{AppID: "app", Secret: private}

	for name, client := range map[string]censor.TextCheck{
		"chat": chat.New(at["CHAT_API"], false), "tpay": tpay.New(at["TPAY_API"], false),
		"alt": alt.New(at["ALT_API"], false, clock.System),
	} {
		token := ""
		if giver, ok := client.(templatemessage.TokenGiver); ok {
			if token, _, err = giver.Token(t.Context(), who, false); err != nil {
				t.Fatal(name, err)
			}
		}
		for _, user := range []string{"", "openid"} {
			for text, want := range map[string]bool{"hello": false, "risky business": true, "特3456书yuuo莞6543李zxcz蒜7782法fgnv级": true} {
				risky, err := client.CheckText(t.Context(), who, token, censor.Text{Content: text, OpenID: user})
				if risky != want || err != nil {
					t.Errorf("%s says of %q: risky %v, %v", name, text, risky, err)
				}
			}
		}
		images, ok := client.(censor.ImageCheck)
		if !ok {
			continue
		}
		for file, want := range map[string]bool{"a.png": false, "risky.png": true} {
			risky, err := images.CheckImage(t.Context(), who, token, censor.Image{Name: file, Content: []byte("x")})
			if risky != want || err != nil {
				t.Errorf("%s says of %s: risky %v, %v", name, file, risky, err)
			}
		}
	}
}
