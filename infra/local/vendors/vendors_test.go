package vendors_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"minicloud/infra/local/outbox"
	"minicloud/infra/local/vendors"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/outbound/alt"
	"minicloud/shared/outbound/chat"
	"minicloud/shared/outbound/tpay"
)

// TestServesClientsOfPrograms: requests of the programs are accepted or refused as the package comment says.
func TestServesClientsOfPrograms(t *testing.T) {
	box, err := outbox.Open(filepath.Join(t.TempDir(), "outbox.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	server := httptest.NewServer(&vendors.API{Box: box, Clock: clock.System, Count: func(string) {}})
	defer server.Close()
	at := vendors.Environment(server.URL)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	private := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))

	clients := map[string]templatemessage.Gateway{
		"chat": chat.New(at["CHAT_API"], false), "tpay": tpay.New(at["TPAY_API"], false), "alt": alt.New(at["ALT_API"], false, clock.System),
	}
	for name, client := range clients {
		who, token := templatemessage.Identity{AppID: "app", Secret: private}, ""
		if giver, ok := client.(templatemessage.TokenGiver); ok {
			if _, _, err := giver.Token(t.Context(), templatemessage.Identity{Secret: "wrong"}, false); !errs.Is(err, errs.KindInvalid) {
				t.Errorf("%s with a wrong secret: %v", name, err)
			}
			if token, _, err = giver.Token(t.Context(), who, false); err != nil {
				t.Fatal(name, err)
			}
			err := client.Send(t.Context(), who, "another", templatemessage.Message{To: "p"})
			if refusal, ok := errors.AsType[*templatemessage.Refusal](err); !ok || refusal.Verdict != templatemessage.BadToken {
				t.Errorf("%s with another token: %v", name, err)
			}
		}

		m := templatemessage.Message{To: "p-" + name, TemplateID: "t", FormID: "f", Keywords: map[string]string{"k": "v"}}
		if err := client.Send(t.Context(), who, token, m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		wrong, used := m, m
		wrong.TemplateID, used.FormID = "wrong", "used"
		for want, m := range map[templatemessage.Verdict]templatemessage.Message{
			templatemessage.Never: wrong, templatemessage.BadForm: used,
		} {
			err := client.Send(t.Context(), who, token, m)
			if refusal, ok := errors.AsType[*templatemessage.Refusal](err); !ok || refusal.Verdict != want {
				t.Errorf("%s: %v, want verdict %d", name, err, want)
			}
		}

		w := httptest.NewRecorder()
		box.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/_local/outbox?contains=p-"+name, nil))
		var kept []outbox.Message
		if err := json.Unmarshal(w.Body.Bytes(), &kept); err != nil || len(kept) != 1 || kept[0].Kind != "template_message" {
			t.Errorf("%s: %v %s", name, err, w.Body)
		}
	}
}
