package api_test

import (
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/url"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"
)

// The helpers below sign as the vendors do. They follow the vendors' documentation, not the code that verifies.

func stringA(fields map[string]string, leaveOut ...string) string {
	var pairs []string
next:
	for name, text := range fields {
		for _, out := range leaveOut {
			if name == out {
				continue next
			}
		}
		if text != "" {
			pairs = append(pairs, name+"="+text)
		}
	}
	sort.Strings(pairs)
	return strings.Join(pairs, "&")
}

// signedXML returns a notification of chat (v2) or tpay with its signature; all texts are in CDATA.
func signedXML(fields map[string]string, key, method string) string {
	text := stringA(fields, "sign") + "&key=" + key
	switch method {
	case "MD5":
		fields["sign"] = fmt.Sprintf("%X", md5.Sum([]byte(text)))
	default:
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(text))
		fields["sign"] = fmt.Sprintf("%X", mac.Sum(nil))
	}
	b := "<xml>\n"
	for name, text := range fields {
		b += "  <" + name + "><![CDATA[" + text + "]]></" + name + ">\n"
	}
	return b + "</xml>"
}

// keys are generated once: each takes more than a tenth of a second.
var keys = sync.OnceValues(func() (all [3]*rsa.PrivateKey, err error) {
	for i := range all {
		if all[i], err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
			return all, err
		}
	}
	return all, nil
})

// numberedKey returns one of the keys 0, 1 and 2 and its public key.
func numberedKey(t testing.TB, number int) (key *rsa.PrivateKey, public string) {
	t.Helper()
	all, err := keys()
	if err != nil {
		t.Fatal(err)
	}
	key = all[number]
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return key, string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

func signRSA(t testing.TB, key *rsa.PrivateKey, text string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(text))
	raw, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// sealedRefund returns a refund notification of chat (v2): it is encrypted and not signed.
func sealedRefund(t testing.TB, fields map[string]string, key string) string {
	t.Helper()
	text := "<root>"
	for name, value := range fields {
		text += "<" + name + "><![CDATA[" + value + "]]></" + name + ">"
	}
	text += "</root>"
	padding := aes.BlockSize - len(text)%aes.BlockSize
	box := []byte(text + strings.Repeat(string(rune(padding)), padding))
	block, err := aes.NewCipher(fmt.Appendf(nil, "%x", md5.Sum([]byte(key))))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(box); i += aes.BlockSize {
		block.Encrypt(box[i:], box[i:])
	}
	return "<xml><return_code>SUCCESS</return_code><appid><![CDATA[wx1]]></appid><mch_id><![CDATA[m1]]></mch_id>" +
		"<nonce_str><![CDATA[n]]></nonce_str><req_info><![CDATA[" + base64.StdEncoding.EncodeToString(box) +
		"]]></req_info></xml>"
}

// signedForm returns a notification of alt.
func signedForm(t testing.TB, fields map[string]string, key *rsa.PrivateKey) string {
	values := url.Values{"sign_type": {"RSA2"}, "sign": {signRSA(t, key, stringA(fields))}}
	for name, text := range fields {
		values.Set(name, text)
	}
	return values.Encode()
}

// sealedJSON returns a notification of chat (v3) and its headers.
func sealedJSON(
	t testing.TB, event string, resource any, apiKey string, key *rsa.PrivateKey, at time.Time,
) (string, map[string]string) {
	t.Helper()
	text, err := json.Marshal(resource)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher([]byte(apiKey))
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	const nonce = "fdasflkja484"
	box := gcm.Seal(nil, []byte(nonce), text, []byte("transaction"))
	body := fmt.Sprintf(`{"id":"EV-1","event_type":%q,"resource_type":"encrypt-resource","resource":{"algorithm":"AEAD_AES_256_GCM",`+
		`"ciphertext":%q,"associated_data":"transaction","nonce":%q,"original_type":"transaction"}}`,
		event, base64.StdEncoding.EncodeToString(box), nonce)
	stamp := fmt.Sprint(at.Unix())
	return body, map[string]string{
		"Chatpay-Timestamp": stamp, "Chatpay-Nonce": "5K8264", "Chatpay-Serial": "PUB1",
		"Chatpay-Signature": signRSA(t, key, stamp+"\n5K8264\n"+body+"\n"),
	}
}
