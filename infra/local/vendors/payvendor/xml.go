package payvendor

import (
	"crypto/md5"
	"crypto/rand"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// sign returns the signature of chat and tpay: MD5 over the sorted fields that are not empty, and the key. It follows the
// vendors' documents (mp.qpay.tenpay.cn/buss/wiki/206/1213), not the code of the programs.
func sign(fields map[string]string, key string) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "sign" && fields[name] != "" {
			text.WriteString(name + "=" + fields[name] + "&")
		}
	}
	return fmt.Sprintf("%X", md5.Sum([]byte(text.String()+"key="+key)))
}

// writeXML encodes flat fields with the texts in CDATA.
func writeXML(fields map[string]string) string {
	var text strings.Builder
	text.WriteString("<xml>")
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(&text, "<%s><![CDATA[%s]]></%s>", name, fields[name], name)
	}
	return text.String() + "</xml>"
}

// xml reads a request of chat or tpay, verifies its signature, and writes the answer with another.
func (a *API) xml(
	w http.ResponseWriter, r *http.Request, vendor string, answer func(vendor string, asked map[string]string) map[string]string,
) {
	var body struct {
		Fields []struct {
			XMLName xml.Name
			Text    string `xml:",chardata"`
		} `xml:",any"`
	}
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	fail := func(message string) {
		io.WriteString(w, writeXML(map[string]string{"return_code": "FAIL", "return_msg": message}))
	}
	if xml.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&body) != nil {
		fail("XML format error")
		return
	}
	asked := map[string]string{}
	for _, f := range body.Fields {
		asked[f.XMLName.Local] = f.Text
	}
	m, known := a.merchant(vendor, asked["mch_id"])
	switch {
	case !known:
		fail("mch_id is unknown: register it at /_local/payments/")
		return
	case asked["nonce_str"] == "" || asked["sign"] != sign(asked, m.MerchantKey):
		fail("sign error")
		return
	}

	told := answer(vendor, asked)
	told["return_code"], told["appid"], told["mch_id"] = "SUCCESS", asked["appid"], asked["mch_id"]
	told["nonce_str"] = rand.Text()
	told["sign"] = sign(told, m.MerchantKey)
	io.WriteString(w, writeXML(told))
}

func refuse(code, words string) map[string]string {
	return map[string]string{"result_code": "FAIL", "err_code": code, "err_code_des": words}
}

// unifiedOrder takes an order of chat or tpay.
func (a *API) unifiedOrder(vendor string, asked map[string]string) map[string]string {
	m, _ := a.merchant(vendor, asked["mch_id"])
	cents, err := strconv.ParseInt(asked["total_fee"], 10, 64)
	trade := asked["trade_type"]
	missing := func(name string) bool { return asked[name] == "" }
	switch {
	case asked["appid"] != m.AppID:
		return refuse("APPID_MCHID_NOT_MATCH", "appid and mch_id do not match")
	case err != nil || cents <= 0:
		return refuse("PARAM_ERROR", "total_fee is invalid")
	case len(asked["out_trade_no"]) == 0 || len(asked["out_trade_no"]) > 32:
		return refuse("PARAM_ERROR", "out_trade_no is invalid")
	case missing("body"), missing("notify_url"), missing("spbill_create_ip"):
		return refuse("LACK_PARAMS", "body, notify_url or spbill_create_ip is missing")
	case vendor == "chat" && trade == "JSAPI" && missing("openid"), vendor == "chat" && trade == "NATIVE" && missing("product_id"),
		trade == "MWEB" && missing("scene_info"):
		return refuse("LACK_PARAMS", "a parameter of "+trade+" is missing")
	case !slices.Contains([]string{"JSAPI", "NATIVE", "MWEB", "APP"}, trade), vendor == "tpay" && trade == "MWEB":
		return refuse("PARAM_ERROR", "trade_type is invalid")
	}

	again := maps.Clone(asked)
	delete(again, "nonce_str")
	delete(again, "sign")
	o, why := a.take(Order{
		Vendor: vendor, Merchant: asked["mch_id"], Number: asked["out_trade_no"], Cents: cents, Type: trade,
		Notify: asked["notify_url"],
	}, asked["body"], again)
	switch why {
	case silent:
		hangUp()
	case unwanted:
		return refuse("NOAUTH", "the merchant may not sell this")
	case used:
		return refuse("OUT_TRADE_NO_USED", "the number is that of another order")
	case paid:
		return refuse("ORDERPAID", "the order is paid")
	}
	told := map[string]string{"result_code": "SUCCESS", "trade_type": trade, "prepay_id": o.prepay}
	switch trade {
	case "NATIVE":
		told["code_url"] = "weixin://wxpay/bizpayurl?pr=" + o.prepay
	case "MWEB":
		told["mweb_url"] = "https://wx.tenpay.com/cgi-bin/mmpayweb-bin/checkmweb?prepay_id=" + o.prepay
	}
	return told
}

// orderQuery answers a question about an order of chat or tpay.
func (a *API) orderQuery(vendor string, asked map[string]string) map[string]string {
	a.Count("Question")
	o, known := a.find(vendor, asked["mch_id"], asked["out_trade_no"])
	switch {
	case !known:
		return refuse("ORDERNOTEXIST", "the order does not exist")
	case !o.Paid:
		return map[string]string{"result_code": "SUCCESS", "trade_state": "NOTPAY", "out_trade_no": o.Number}
	}
	told := paidXML(o, o.Cents, "CNY")
	told["trade_state"] = "SUCCESS"
	return told
}

// paidXML returns the fields of a payment of chat or tpay.
func paidXML(o Order, cents int64, currency string) map[string]string {
	return map[string]string{
		"result_code": "SUCCESS", "trade_type": o.Type, "bank_type": "CMC", "total_fee": strconv.FormatInt(cents, 10),
		"cash_fee": strconv.FormatInt(cents, 10), "fee_type": currency, "is_subscribe": "N", "openid": o.asked["openid"],
		"out_trade_no": o.Number, "transaction_id": o.TradeNo, "time_end": o.paidAt,
	}
}
