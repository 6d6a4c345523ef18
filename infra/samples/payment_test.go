package samples

import (
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"
)

// run runs a sample and returns its result, or its error, as text.
func run(t *testing.T, name string, data any, variables map[string]string) string {
	t.Helper()
	return outcome((&platform{t: t}).run(samples(t)[name].code, event(data), variables))
}

// TestPaymentNotificationSample creates a notification in the vendor's format, with Go's library.
func TestPaymentNotificationSample(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	apiKey := "0123456789abcdef0123456789abcdef"
	body := notification(t, apiKey, `{"out_trade_no":"7","trade_state":"SUCCESS","amount":{"total":990}}`)
	data := map[string]any{"body": body, "headers": map[string]string{
		"wechatpay-timestamp": "1795302411", "wechatpay-nonce": "n", "wechatpay-signature": signature(
			t, key, "1795302411\nn\n"+body+"\n",
		),
	}}
	variables := map[string]string{"PLATFORM_CERTIFICATE": certificate(t, key), "API_V3_KEY": apiKey}

	code := "payment-notification"
	if got, want := run(t, code, data, variables), `{"order":"7","state":"SUCCESS","cents":990}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}

	data["body"] = strings.Replace(body, "resource", "resourcf", 1)
	if got := run(t, code, data, variables); got != "Error: the notification is not signed by the vendor" {
		t.Errorf("a changed body gave %s", got)
	}

	data["body"] = body
	variables["API_V3_KEY"] = strings.Repeat("x", 32)
	if got := run(t, code, data, variables); got != "Error: Unsupported state or unable to authenticate data" {
		t.Errorf("another key gave %s", got)
	}
}

func notification(t *testing.T, apiKey, payment string) string {
	t.Helper()
	block, err := aes.NewCipher([]byte(apiKey))
	if err != nil {
		t.Fatal(err)
	}

	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}

	sealed := gcm.Seal(nil, []byte("twelve bytes"), []byte(payment), []byte("transaction"))
	body, err := json.Marshal(map[string]any{"event_type": "TRANSACTION.SUCCESS", "resource": map[string]string{
		"algorithm": "AEAD_AES_256_GCM", "ciphertext": base64.StdEncoding.EncodeToString(sealed), "nonce": "twelve bytes",
		"associated_data": "transaction",
	}})
	if err != nil {
		t.Fatal(err)
	}

	return string(body)
}

func signature(t *testing.T, key *rsa.PrivateKey, text string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(text))
	signed, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(signed)
}

func certificate(t *testing.T, key *rsa.PrivateKey) string {
	t.Helper()
	c := &x509.Certificate{SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: "payments"}, NotAfter: time.Now()}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// TestPhoneNumberSample encrypts a number in the vendor's format, with Go's library.
func TestPhoneNumberSample(t *testing.T) {
	key, iv := []byte("session key 1234"), []byte("vector vector 12")
	text := []byte(`{"phoneNumber":"13800138000","purePhoneNumber":"13800138000","watermark":{"appid":"wx1"}}`)
	pad := aes.BlockSize - len(text)%aes.BlockSize
	for range pad {
		text = append(text, byte(pad))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(text, text)

	code := "phone-number"
	data := map[string]string{
		"encryptedData": base64.StdEncoding.EncodeToString(text), "iv": base64.StdEncoding.EncodeToString(iv),
		"sessionKey": base64.StdEncoding.EncodeToString(key),
	}
	if got := run(t, code, data, map[string]string{"APP_ID": "wx1"}); got != `{"phone":"13800138000"}` {
		t.Error(got)
	}
	if got := run(t, code, data, map[string]string{"APP_ID": "wx2"}); !strings.Contains(got, "another application") {
		t.Error(got)
	}
	data["sessionKey"] = base64.StdEncoding.EncodeToString([]byte("another key 1234"))
	if got := run(t, code, data, map[string]string{"APP_ID": "wx1"}); !strings.Contains(got, "bad decrypt") {
		t.Error(got)
	}
}
