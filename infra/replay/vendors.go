package main

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// merchantKey, apiV3Key and serial are the demo application's keys at the payment vendors: they sign and encrypt the
// notifications of events/.
const (
	merchantKey = "8934e7d15453e97507ef794cf7b0519d"
	apiV3Key    = "fixture-key-of-chat-for-32-bytes"
	serial      = "PUB_KEY_ID_0116"
)

// agree stores the application's setting for each vendor. It generates the vendors' key pair each time, so that no
// private key is committed. Replay signs notifications with it, because a signature covers the current time and
// cannot be committed either.
func (c *client) agree(ctx context.Context) (err error) {
	if c.vendor, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		return err
	}
	der, err := x509.MarshalPKIXPublicKey(&c.vendor.PublicKey)
	if err != nil {
		return err
	}
	public := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))

	for vendor, setting := range map[string]any{
		"chat": map[string]any{
			"app_id": "wx0123456789abcdef", "merchant_id": "1230000109", "merchant_key": merchantKey, "api_v3_key": apiV3Key,
			"certificates": map[string]string{serial: public},
		},
		"alt":  map[string]any{"app_id": "2021000000000001", "merchant_id": "2088000000000001", "public_key": public},
		"tpay": map[string]any{"app_id": "1007033799", "merchant_id": "1900000109", "merchant_key": merchantKey},
	} {
		if err := c.call(ctx, http.MethodPut, "/oserve/v3/payment-setting/"+vendor+"/", setting, nil); err != nil {
			return err
		}
	}
	return nil
}

// signature returns a notification's signature in the vendor's form: chat signs time, nonce and body, alt the sorted
// fields.
func (c *client) signature(name string, source []byte) (string, error) {
	if c.vendor == nil {
		return "", fmt.Errorf("{{%s}} is for notifications of payment vendors", name)
	}
	var event events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(source, &event); err != nil {
		return "", err
	}
	if name == "chat_signature" {
		return c.sign(fmt.Sprintf("%d\n%s\n%s\n", c.began.Unix(), event.Headers["chatpay-nonce"], event.Body))
	}

	body, err := base64.StdEncoding.DecodeString(event.Body)
	if err != nil {
		return "", err
	}
	fields, err := url.ParseQuery(string(body))
	if err != nil {
		return "", err
	}
	var pairs []string
	for field, texts := range fields {
		// The vendor does not sign these two fields and empty ones.
		if field != "sign" && field != "sign_type" && texts[0] != "" {
			pairs = append(pairs, field+"="+texts[0])
		}
	}
	slices.Sort(pairs)
	signature, err := c.sign(strings.Join(pairs, "&"))
	return url.QueryEscape(signature), err
}

// sign returns the RSA-SHA256 signature of the vendor in base64.
func (c *client) sign(text string) (string, error) {
	sum := sha256.Sum256([]byte(text))
	raw, err := rsa.SignPKCS1v15(rand.Reader, c.vendor, crypto.SHA256, sum[:])
	return base64.StdEncoding.EncodeToString(raw), err
}
