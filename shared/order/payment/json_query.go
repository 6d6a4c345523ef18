package payment

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/url"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/order"
	"minicloud/shared/secret/rsakey"
)

// SignatureOf finds the four signature headers by their suffixes, because they start with the vendor's name.
func SignatureOf(names iter.Seq[string], header func(name string) string) Signature {
	for name := range names {
		prefix, ok := strings.CutSuffix(name, "-Signature")
		if !ok {
			continue
		}
		s := Signature{
			Timestamp: header(prefix + "-Timestamp"), Nonce: header(prefix + "-Nonce"),
			Serial: header(prefix + "-Serial"), Signature: header(name),
		}
		// Other headers may also end with -Signature.
		if s.Timestamp != "" && s.Nonce != "" && s.Serial != "" {
			return s
		}
	}
	return Signature{}
}

// usesV3 reports whether requests to WeChat Pay use v3: they do if the application's certificate is set, which v2 does
// not need.
func (k Keys) usesV3() bool {
	return k.Vendor == Chat && k.MerchantSerial != "" && k.Secret[PrivateKey] != ""
}

// jsonQuery returns a signed request to WeChat Pay (v3).
func jsonQuery(k Keys, method, base, path string, body []byte, nonce string, now time.Time) (Query, error) {
	key, err := rsakey.Private(k.Secret[PrivateKey])
	if err != nil {
		return Query{}, errs.Invalid("private_key is no RSA key")
	}

	address, err := url.Parse(base)
	if err != nil {
		return Query{}, errs.Invalid("base_url is no address")
	}
	stamp := fmt.Sprint(now.Unix())
	// The signature covers method, path, time, nonce and body, each followed by a line break.
	signed := strings.Join([]string{method, address.EscapedPath() + path, stamp, nonce, string(body), ""}, "\n")
	signature, err := rsakey.Sign(key, signed)
	if err != nil {
		return Query{}, fmt.Errorf("sign a question to chat: %w", err)
	}

	q := Query{Method: method, URL: base + path, Body: body, Deployed: k.Deployed, Authorization: fmt.Sprintf(
		"WECHATPAY2-SHA256-RSA2048 mchid=%q,nonce_str=%q,signature=%q,timestamp=%q,serial_no=%q",
		k.MerchantID, nonce, signature, stamp, k.MerchantSerial,
	)}
	if body != nil {
		q.ContentType = "application/json"
	}
	return q, nil
}

// readJSONAnswer decodes a response of WeChat Pay (v3) about an order, which is signed like a notification.
func readJSONAnswer(k Keys, o order.Order, a Answer, now time.Time) (order.Order, error) {
	if err := a.Signature.verify(k, a.Body, now); err != nil {
		return order.Order{}, err
	}
	var t transaction
	if json.Unmarshal(a.Body, &t) != nil {
		return order.Order{}, errs.Invalid("the answer is no transaction")
	}
	if err := k.ForMerchant(t.AppID, t.MerchantID); err != nil {
		return order.Order{}, err
	}
	// Responses of v3 contain the number in every state.
	if t.OutTradeNo != o.TradeNo {
		return order.Order{}, errs.Forbidden("the answer is about another order")
	}
	return answered(o, t.TradeState, t.OutTradeNo, t.payment)
}
