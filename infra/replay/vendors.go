package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/infra/local/vendors/payvendor"
)

// merchantKey, apiV3Key and serial are the demo application's keys at the payment vendors: they sign and encrypt the
// notifications of events/.
const (
	merchantKey = "8934e7d15453e97507ef794cf7b0519d"
	apiV3Key    = "fixture-key-of-chat-for-32-bytes"
	serial      = "PUB_KEY_ID_0116"
)

// agree stores the application's setting for each vendor. It makes the vendors' key pair each time, so that no private
// key is committed. Replay signs notifications with it, because a signature covers the current time and cannot be
// committed either.
func (c *client) agree(ctx context.Context) error {
	c.vendor = new(payvendor.API)
	public, err := c.vendor.PublicKey()
	if err != nil {
		return err
	}
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
		return c.vendor.Sign(fmt.Sprintf("%d\n%s\n%s\n", c.began.Unix(), event.Headers["chatpay-nonce"], event.Body))
	}

	body, err := base64.StdEncoding.DecodeString(event.Body)
	if err != nil {
		return "", err
	}
	fields, err := url.ParseQuery(string(body))
	if err != nil {
		return "", err
	}
	signature, err := c.vendor.Sign(payvendor.Joined(fields, "sign", "sign_type"))
	return url.QueryEscape(signature), err
}
