package payment

import (
	"maps"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// published has the fields of the example in WeChat Pay's documentation; the key and the signatures below are its as
// well.
var published = map[string]string{
	"appid": "wxd930ea5d5a258f4f", "mch_id": "10000100", "device_info": "1000", "body": "test",
	"nonce_str": "ibuaiVcKdpRxkhJA",
}

const publishedKey = "192006250b4c09247ec02edce69f6a2d"

// TestSignaturesMatchPublishedExample also checks that empty fields, and the signature itself, are not signed.
func TestSignaturesMatchPublishedExample(t *testing.T) {
	fields := maps.Clone(published)
	fields["attach"], fields["sign"] = "", "whatever"
	if got := Sign(fields, publishedKey, false); got != "9A0A8659F005D6984697E2CA0A9CF3B7" {
		t.Errorf("MD5: %s", got)
	}
	if got := Sign(fields, publishedKey, true); got !=
		"6A9AE1657590FD6257D693A078E1C3E4BB6BA4DC30B23E0EE2496E54170DACD6" {
		t.Errorf("HMAC-SHA256: %s", got)
	}
}

func TestRefusesNestedOrInvalidXML(t *testing.T) {
	for _, text := range []string{
		"", "x", "<xml>", "<xml></xml>", "<root><a>1</a></root>", "<xml><a>1</a></xml><xml><b>1</b></xml>",
		"<xml><a>1</a><a>2</a></xml>", "<xml><a><b>1</b></a></xml>", "<xml><a>1</b></xml>",
		`<!DOCTYPE xml [<!ENTITY e "x">]><xml><a>&e;</a></xml>`, "<xml><a>&e;</a></xml>",
		"<xml>" + strings.Repeat("<a>", 300),
	} {
		if fields, err := ReadXML([]byte(text), "xml"); err == nil {
			t.Errorf("%s is %v", text, fields)
		}
	}
}

// FuzzXML: written fields are read back unchanged, and no input makes the reader panic.
func FuzzXML(f *testing.F) {
	f.Add("o&<1>", "<xml><a><![CDATA[b]]></a></xml>")
	f.Add("green tea ", "<xml><a>1</a></xml>")
	f.Fuzz(func(t *testing.T, text, body string) {
		_, _ = ReadXML([]byte(body), "xml")
		// XML replaces invalid characters by question marks, and a carriage return is read as a line feed.
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return
		}
		fields, err := ReadXML(WriteXML(map[string]string{"a": text, "b": "x"}), "xml")
		if err != nil || fields["a"] != text || fields["b"] != "x" {
			t.Errorf("%q is %v, %v", text, fields, err)
		}
	})
}

// FuzzVerify: no notification passes without the keys, and no error contains a key.
func FuzzVerify(f *testing.F) {
	f.Add("<xml><return_code>SUCCESS</return_code><req_info>AAAAAAAAAAAAAAAAAAAAAA==</req_info></xml>")
	f.Add(`{"event_type":"REFUND.SUCCESS","resource":{"algorithm":"AEAD_AES_256_GCM"}}`)
	f.Add("trade_status=TRADE_SUCCESS&sign=AAAA")
	f.Fuzz(func(t *testing.T, body string) {
		secrets := map[string]string{MerchantKey: publishedKey, APIv3Key: publishedKey}
		for _, vendor := range []Vendor{Chat, Alt, Tpay} {
			k := Keys{Vendor: vendor, Secret: secrets}
			p, told, err := Verify(k, Notification{Body: []byte(body)}, fresh)
			if told || err == nil || strings.Contains(err.Error(), publishedKey) {
				t.Errorf("%s: %+v, %v of %q", vendor, p, err, body)
			}
		}
	})
}
