package payment

import (
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"minicloud/shared/order"
)

// TestSignatureOfQQPay is the example of QQ Pay's document "security" (mp.qpay.tenpay.cn/buss/wiki/206/1213).
func TestSignatureOfQQPay(t *testing.T) {
	fields := maps.Clone(published)
	fields["appid"] = "d930ea5d5a258f4f"
	if got := Sign(fields, publishedKey, false); got != "C16640534B737634F08566717AD030EB" {
		t.Error(got)
	}
}

// TestTextThatAlipaySigns is the example of Alipay's document "how to sign by yourself": the text is not URL-encoded, its
// fields are sorted, and sign_type is one of them.
func TestTextThatAlipaySigns(t *testing.T) {
	content := `{"button":[{"actionParam":"ZFB_HFCZ","actionType":"out","name":"话费充值"}]}`
	got := sortedFields(map[string]string{
		"app_id": "2014072300007148", "method": "alipay.mobile.public.menu.add", "charset": "GBK", "sign_type": "RSA2",
		"timestamp": "2014-07-24 03:07:50", "version": "1.0", "biz_content": content,
	}, true)
	want := "app_id=2014072300007148&biz_content=" + content +
		"&charset=GBK&method=alipay.mobile.public.menu.add&sign_type=RSA2&timestamp=2014-07-24 03:07:50&version=1.0"
	if got != want {
		t.Error(got)
	}
}

// The public keys of two real messages of Alipay, in the tests of its own SDK (github.com/alipay/alipay-sdk-nodejs-all,
// test/alipay.test.ts and test/fixtures/alipay-public-key.pem).
const (
	notifyingKey = "-----BEGIN PUBLIC KEY-----\n" + `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAqObrdC7hrgAVM98tK0nv
3hSQRGGKT4lBsQjHiGjeYZjOPIPHR5knm2jnnz/YGIXIofVHkA/tAlBAd5DrY7Yp
vI4tP5EONLtZKC2ghBMx7McI2wRD0xiqzxOQr1FuhZGJ8/AUokBzJrzY+aGX2xcO
rxFYRlFilvVLTXg4LWjR1tdPkO6+i7wQZAIVMClPkwVRZEbaERRHlKqTzv2gGv5r
DU8gRoe1LeaN+6BlbTqHWkQcNCUNrA8C6l17XAXGKDsm/9TFWwO8EPHHHCaQdjtV
5/FdcWIt+L8SR1ss7EXTjYDFtxcKVv9rEoY1lX8T4mX+GbXfZHraG5NCF1+XioL5
JwIDAQAB` + "\n-----END PUBLIC KEY-----"
	answeringKey = "-----BEGIN PUBLIC KEY-----\n" + `MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAk7LzhmMa2c4qQd4fqAqe
nfbuFoA7stPKvoS1LrZEsVnOOGUUjwoa1oU9xsSPjcOWhIerU/VAN4J95GIAXx59
ipcleIyfLn2FhHXPgLJpvo+b2jJFyn/1/DbeJDh+0yDVAOf50Z7HhI0mdUhFMkXl
T7BU0ZMtJf/TmISFEfhDU/w6qFd6D42L97byAkq0K6LroglSVF24GqJEa7hSeUIk
ZWj7RasykXrc2uVJ1+ejkXE0LyPxa2AHykMGbJLf5SiZvaNzUZgnKIR36mLOHpQ/
2JCXxhXZYUWHzy0kMH54JcUEeksFWBYLGvLjV1phbcUIc3Q76tIuqApY6E222OoZ
ZQIDAQAB` + "\n-----END PUBLIC KEY-----"
)

// TestNotificationOfAlipay verifies a real notification of a payment, byte for byte, and no changed one.
func TestNotificationOfAlipay(t *testing.T) {
	form := url.Values{}
	for name, text := range map[string]string{
		"gmt_create": "2019-08-15 15:56:22", "charset": "utf-8", "seller_email": "z97-yuquerevenue@service.aliyun.com",
		"subject": "语雀空间 500人规模", "buyer_id": "2088102534368455", "invoice_amount": "0.10",
		"notify_id": "2019081500222155624068450559358070", "fund_bill_list": `[{"amount":"0.10","fundChannel":"ALIPAYACCOUNT"}]`,
		"notify_type": "trade_status_sync", "trade_status": "TRADE_SUCCESS", "receipt_amount": "0.10",
		"buyer_pay_amount": "0.10", "sign_type": "RSA2", "app_id": "2019073166072302", "seller_id": "2088531891668739",
		"gmt_payment": "2019-08-15 15:56:24", "notify_time": "2019-08-15 15:56:25", "version": "1.0",
		"out_trade_no": "20190815155618536-564-57", "total_amount": "0.10", "trade_no": "2019081522001468450512505578",
		"auth_app_id": "2019073166072302", "buyer_logon_id": "xud***@126.com", "point_amount": "0.00",
		"sign": "QfTb8tqE1BMhS5qAnXtvsF3/jBkEvu9q9en0pdbBUDDjvKycZhQb7h8GDs4FKfi049PynaNuatxSgLb/nLWZpXyyh0LEWdK2S6Ri7nPwrVgO" +
			"s08zugLO20vOQz44y3ti2Ncm8/wZts1Fr2gZ7pShnVX3d1B50hbsXnObT1r/U8ONNQjWXd0HIul4TG+Q3fm3svmSvFEy0WnzuhcyHPX5Gm4E" +
			"LNctL6Qd5YniGJFNcc7kopHYtI/XD9YCKCH6Ct02rzUs9i11C9CsadtZn+WhxF26Dqt9sGEFajkJ8cxUTLi8+VCpLHsgPE8P0y095uQcDdK0" +
			"YjCh4x7wVSov+lrmOQ==",
	} {
		form.Set(name, text)
	}
	k := Keys{Vendor: Alt, Setting: Setting{
		AppID: "2019073166072302", MerchantID: "2088531891668739", PublicKey: notifyingKey,
	}}
	p, told, err := Verify(k, Notification{Body: []byte(form.Encode())}, time.Now())
	if err != nil || !told || p.Total != 10 || p.TransactionNo != "20190815155618536-564-57" || p.Status != order.Success ||
		p.TradeNo != "2019081522001468450512505578" || p.PaidAt.Format(time.RFC3339) != "2019-08-15T07:56:24Z" {
		t.Errorf("%+v, %v, %v", p, told, err)
	}

	for name := range form {
		changed := maps.Clone(form)
		changed[name] = []string{form.Get(name) + "1"}
		if p, told, err := Verify(k, Notification{Body: []byte(changed.Encode())}, time.Now()); (err == nil) != (name == "sign_type") {
			t.Errorf("with another %s: %+v, %v, %v", name, p, told, err)
		}
	}
}

// TestAnswerOfAlipay verifies a real answer of Alipay's gateway, and no changed one.
func TestAnswerOfAlipay(t *testing.T) {
	const body = `{"alipay_open_file_upload_response":{"code":"10000","msg":"Success","file_id":"CAxAToWB1JsAAAAAAAAAAAAADgSLAQBr"},` +
		`"sign":"F+LDzpTNiavn7xVZPGuPCSSVRSmWzJGgtuji6tVELGEaqMaNj0jRKXUEr5nloZJBBmwEnddOyCjjepMmrTKTvoOqQ0Efxpr/R1iEeHTHVbb/` +
		`Q8TTh6Up5gHJDkILdaWS2q1cWeQ6VT+HQY9P3WRXS7uhILHuDODIhpAyCu5KhWGt0rMCIG+Im6NODJP2oohtSCtmTFXg58HH587Z2y2bdbjzOxLvzD9I` +
		`rU1imghXQ2S/Q+wMIvRk9on6cWnBLkrNvJKapA2ReNGWOwyuASvB9zDVzhMPbR+3mfRGkVDxsq5HYLjBKGskJMXHw0HuugZij6ScRuaLPODhmHwr/pJ9` +
		`yw=="}`
	k := Keys{Vendor: Alt, Setting: Setting{PublicKey: answeringKey}}
	const name = "alipay_open_file_upload_response"
	if fields, err := k.FormAnswer([]byte(body), name, time.Now()); err != nil || fields["code"] != "10000" {
		t.Errorf("%v, %v", fields, err)
	}
	if fields, err := k.FormAnswer([]byte(strings.Replace(body, "Success", "success", 1)), name, time.Now()); err == nil {
		t.Errorf("a changed answer: %v", fields)
	}
}
