package checkout

import (
	"encoding/json"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/order"
	"minicloud/shared/order/payment"
)

// TestPaySignOfWeChatPay is the example of WeChat Pay's document for mini programs
// (pay.weixin.qq.com/wiki/doc/api/wxa/wxa_api.php?chapter=7_7).
func TestPaySignOfWeChatPay(t *testing.T) {
	k := payment.Keys{
		Vendor: payment.Chat, Setting: payment.Setting{AppID: "wxd678efh567hg6787"},
		Secret: map[string]string{payment.MerchantKey: "qazwsxedcrfvtgbyhnujmikolp111111"},
	}
	o := order.Order{
		Gateway: order.Chatpay, TransactionNo: "5K8264ILTKCH16CQ2502SI8ZNMTM67VS", CreatedAt: time.Unix(1490840662, 0),
	}
	got := parameters(k, o, Taken{PrepayID: "wx2017033010242291fcfe0db70013231072"})
	want := Parameters{
		"appId": "wxd678efh567hg6787", "nonceStr": "5K8264ILTKCH16CQ2502SI8ZNMTM67VS", "timeStamp": "1490840662",
		"package": "prepay_id=wx2017033010242291fcfe0db70013231072", "signType": "MD5", "paySign": "22D9B4E54AB1950F51E0649E8810ACD6",
	}
	if !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

const key = "192006250b4c09247ec02edce69f6a2d"

func keysOf(v payment.Vendor) payment.Keys {
	return payment.Keys{
		Vendor: v, Setting: payment.Setting{AppID: "wx1", MerchantID: "m1", BaseURL: "https://vendor.example/"},
		Secret: map[string]string{payment.MerchantKey: key},
	}
}

func tea(g order.Gateway) order.Order {
	return order.Order{
		Gateway: g, TradeNo: "T1", TransactionNo: "N1", Total: 39850, Description: "green\r\ntea", IP: "203.0.113.7",
		CreatedAt: time.Unix(1795348800, 0),
	}
}

// TestOrdersOfChatAndTpay: the fields of each trade type. Control characters would make the signature wrong.
func TestOrdersOfChatAndTpay(t *testing.T) {
	terms := Terms{Buyer: Buyer{OpenID: "o1"}, Notify: "https://api.example/notify/", Home: "https://api.example", ProfitSharing: true}
	for gateway, want := range map[order.Gateway]map[string]string{
		order.Chatpay:       {"trade_type": "JSAPI", "openid": "o1", "profit_sharing": "Y"},
		order.ChatpayJS:     {"trade_type": "JSAPI", "openid": "o1", "profit_sharing": "Y"},
		order.ChatpayNative: {"trade_type": "NATIVE", "product_id": "N1", "profit_sharing": "Y"},
		order.ChatpayApp:    {"trade_type": "APP", "profit_sharing": "Y"},
		order.ChatpayWap: {"trade_type": "MWEB", "profit_sharing": "Y",
			"scene_info": `{"h5_info":{"type":"Wap","wap_name":"green  tea","wap_url":"https://api.example"}}`},
		order.Tpay: {"trade_type": "JSAPI"}, order.TpayNative: {"trade_type": "NATIVE"},
	} {
		k, path := keysOf(payment.Vendor(gateway.Vendor())), "/pay/unifiedorder"
		if k.Vendor == payment.Tpay {
			path = "/cgi-bin/pay/qpay_unified_order.cgi"
		}
		q, err := NewOrderQuery(k, tea(gateway), terms, "n1", time.Now())
		if err != nil || q.Method != "POST" || q.URL != "https://vendor.example"+path {
			t.Fatalf("%s: %+v, %v", gateway, q, err)
		}
		got, err := payment.ReadXML(q.Body, "xml")
		if err != nil || got["sign"] != payment.Sign(got, key, false) {
			t.Errorf("%s: %s, %v", gateway, q.Body, err)
		}
		maps.Copy(want, map[string]string{
			"appid": "wx1", "mch_id": "m1", "nonce_str": "n1", "body": "green  tea", "out_trade_no": "T1", "fee_type": "CNY",
			"total_fee": "39850", "spbill_create_ip": "203.0.113.7", "notify_url": "https://api.example/notify/", "sign": got["sign"],
		})
		if !maps.Equal(got, want) {
			t.Errorf("%s asks %v, want %v", gateway, got, want)
		}
	}
}

// TestAddressesOfPayers: tpay takes at most 16 characters.
func TestAddressesOfPayers(t *testing.T) {
	for gateway, want := range map[order.Gateway]string{order.ChatpayNative: "2001:db8::7", order.Tpay: "127.0.0.1"} {
		o := tea(gateway)
		o.IP = "2001:db8::7"
		q, err := NewOrderQuery(keysOf(payment.Vendor(gateway.Vendor())), o, Terms{}, "n1", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := payment.ReadXML(q.Body, "xml"); err != nil || got["spbill_create_ip"] != want {
			t.Errorf("%s: %v, %v", gateway, got, err)
		}
	}
}

// TestContentOfAlt: older applications have user ids, newer ones open ids; profit sharing freezes the payment.
func TestContentOfAlt(t *testing.T) {
	for buyer, name := range map[string]string{"2088102534368455": "buyer_id", "074a1CcTG1LelxKe4xQC0zgNdId0nxi95b5lsNpazWYoCo5": "buyer_open_id"} {
		fields, err := Terms{Buyer: Buyer{AltUser: buyer}, Notify: "https://n", ProfitSharing: true}.altFields(
			tea(order.Altpay), map[string]any{"product_code": "JSAPI_PAY"})
		var content map[string]any
		if err != nil || json.Unmarshal([]byte(fields["biz_content"]), &content) != nil || content[name] != buyer ||
			content["total_amount"] != "398.50" || content["out_trade_no"] != "N1" || fields["notify_url"] != "https://n" ||
			content["extend_params"].(map[string]any)["royalty_freeze"] != "true" {
			t.Errorf("%v, %v", fields, err)
		}
	}
}

// TestAnswersOfVendors: what is taken, refused and unknown.
func TestAnswersOfVendors(t *testing.T) {
	xml := func(fields map[string]string, key string) string {
		fields = maps.Clone(fields)
		fields["sign"] = payment.Sign(fields, key, false)
		return string(payment.WriteXML(fields))
	}
	fields := map[string]string{
		"return_code": "SUCCESS", "result_code": "SUCCESS", "appid": "wx1", "mch_id": "m1", "prepay_id": "p1", "trade_type": "JSAPI",
	}
	with := func(changes map[string]string) map[string]string {
		all := maps.Clone(fields)
		maps.Copy(all, changes)
		return all
	}
	refused := func(code string) map[string]string {
		return with(map[string]string{"result_code": "FAIL", "err_code": code, "err_code_des": "no"})
	}
	for name, c := range map[string]struct {
		status int
		body   string
		told   Taken
		fails  bool
	}{
		"taken":              {200, xml(fields, key), Taken{PrepayID: "p1"}, false},
		"refused":            {200, xml(refused("NOAUTH"), key), Taken{Refusal: "NOAUTH no"}, false},
		"paid":               {200, xml(refused("ORDERPAID"), key), Taken{Refusal: "ORDERPAID no", Known: true}, false},
		"number used":        {200, xml(refused("OUT_TRADE_NO_USED"), key), Taken{Refusal: "OUT_TRADE_NO_USED no", Known: true}, false},
		"not accepted":       {200, "<xml><return_code>FAIL</return_code><return_msg>sign error</return_msg></xml>", Taken{Refusal: "sign error"}, false},
		"no reason":          {200, "<xml><return_code>FAIL</return_code></xml>", Taken{Refusal: "without a reason"}, false},
		"busy":               {200, xml(refused("SYSTEMERROR"), key), Taken{}, true},
		"another signature":  {200, xml(fields, "guessed"), Taken{}, true},
		"forged refusal":     {200, xml(refused("NOAUTH"), "guessed"), Taken{}, true},
		"another merchant":   {200, xml(with(map[string]string{"mch_id": "m2"}), key), Taken{}, true},
		"no prepay_id":       {200, xml(with(map[string]string{"prepay_id": ""}), key), Taken{}, true},
		"no XML":             {200, "busy", Taken{}, true},
		"another status":     {404, xml(fields, key), Taken{}, true},
		"a document with it": {200, "<!DOCTYPE xml><xml><return_code>SUCCESS</return_code></xml>", Taken{}, true},
	} {
		told, err := ReadOrderAnswer(keysOf(payment.Chat), tea(order.Chatpay), payment.Answer{Status: c.status, Body: []byte(c.body)}, time.Now())
		if told != c.told || (err != nil) != c.fails {
			t.Errorf("%s: %+v, %v", name, told, err)
		}
	}

	for body, want := range map[string]Taken{
		`{"alipay_trade_create_response":{"code":"40004","sub_code":"ACQ.SELLER_NOT_EXIST","sub_msg":"no"}}`:    {Refusal: "ACQ.SELLER_NOT_EXIST no"},
		`{"alipay_trade_create_response":{"code":"40004","sub_code":"ACQ.TRADE_HAS_SUCCESS","sub_msg":"paid"}}`: {Refusal: "ACQ.TRADE_HAS_SUCCESS paid", Known: true},
		`{"error_response":{"code":"40002","msg":"Invalid Arguments"}}`:                                         {Refusal: "40002 Invalid Arguments"},
		`{"alipay_trade_create_response":{"code":"20000","sub_code":"isp.unknow-error"}}`:                       {},
		`{"alipay_trade_create_response":{"code":"40004","sub_code":"ACQ.SYSTEM_ERROR"}}`:                       {},
		`{"alipay_trade_create_response":{"code":"10000","out_trade_no":"N1","trade_no":"A1"}}`:                 {}, // unsigned
		`[]`: {}, ``: {},
	} {
		told, err := ReadOrderAnswer(keysOf(payment.Alt), tea(order.Altpay), payment.Answer{Status: 200, Body: []byte(body)}, time.Now())
		if told != want || (err != nil) != (want == Taken{}) {
			t.Errorf("%s: %+v, %v", body, told, err)
		}
	}
}

// TestIncompleteSettings: the field that is missing is named, before anything is stored.
func TestIncompleteSettings(t *testing.T) {
	buyer := Terms{Buyer: Buyer{OpenID: "o1", AltUser: "2088"}}
	for name, c := range map[string]struct {
		gateway order.Gateway
		change  func(k *payment.Keys)
	}{
		"app_id":       {order.Chatpay, func(k *payment.Keys) { k.AppID = "" }},
		"merchant_id":  {order.Tpay, func(k *payment.Keys) { k.MerchantID = "" }},
		"base_url":     {order.TpayNative, func(k *payment.Keys) { k.BaseURL = "" }},
		"merchant_key": {order.ChatpayApp, func(k *payment.Keys) { k.Secret = nil }},
		"private_key":  {order.AltpayWap, func(k *payment.Keys) { k.Secret = nil }},
		"public_key":   {order.Altpay, func(k *payment.Keys) { k.Secret = map[string]string{payment.PrivateKey: "k"} }},
	} {
		k := keysOf(payment.Vendor(c.gateway.Vendor()))
		if c.change(&k); !errs.Is(buyer.check(k, c.gateway), errs.KindInvalid) || !strings.Contains(buyer.check(k, c.gateway).Error(), name) {
			t.Errorf("%s: %v", name, buyer.check(k, c.gateway))
		}
	}
}

func TestNotifyURL(t *testing.T) {
	got := NotifyURL("https://api.example/", payment.Chat, "c1", "e&1")
	address, err := url.Parse(got)
	if err != nil || address.Path != "/hserve/v1/pay/notify/chat/c1/" || address.Query().Get("env") != "e&1" {
		t.Errorf("%s, %v", got, err)
	}
	if got := NotifyURL("https://api.example", payment.Alt, "c1", ""); got != "https://api.example/hserve/v1/pay/notify/alt/c1/" {
		t.Error(got)
	}
}

// FuzzOrderAnswer: no answer makes the reader panic, and none without a signature is a success.
func FuzzOrderAnswer(f *testing.F) {
	f.Add("<xml><return_code>SUCCESS</return_code><result_code>SUCCESS</result_code></xml>")
	f.Add(`{"alipay_trade_create_response":{"code":"10000"},"sign":"x"}`)
	f.Fuzz(func(t *testing.T, body string) {
		for _, g := range []order.Gateway{order.Chatpay, order.Altpay, order.TpayNative} {
			told, err := ReadOrderAnswer(keysOf(payment.Vendor(g.Vendor())), tea(g), payment.Answer{Status: 200, Body: []byte(body)}, time.Now())
			if err == nil && told.Refusal == "" {
				t.Errorf("%s: %q is %+v", g, body, told)
			}
		}
	})
}
