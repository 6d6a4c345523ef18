package payment

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/order"
	"minicloud/shared/secret/rsakey"
)

// Freshness is the maximum difference between the time of a JSON notification and the current time. It prevents
// replays.
const Freshness = 5 * time.Minute

// Signature has the values of four headers, whose names end in -Timestamp, -Nonce, -Serial and -Signature.
type Signature struct {
	Timestamp string // Unix seconds
	Nonce     string
	Serial    string // of the platform certificate
	Signature string // base64
}

// verify checks that the vendor signed this body recently.
func (s Signature) verify(k Keys, body []byte, now time.Time) error {
	at, err := strconv.ParseInt(s.Timestamp, 10, 64)
	if err != nil || s.Nonce == "" || s.Signature == "" {
		return errs.Forbidden("the signature's headers are missing")
	}
	// A recorded notification must not be accepted again later.
	if age := now.Sub(time.Unix(at, 0)); age > Freshness || age < -Freshness {
		return errs.Forbidden("the notification is not of now: it may have been sent before")
	}

	// The vendor rotates its certificates, so several are valid at the same time.
	text, known := k.Certificates[s.Serial]
	if !known {
		return errs.Forbidden("no certificate of that serial number is set")
	}

	key, err := rsakey.Public(text, now)
	if err != nil {
		return errs.Forbidden("certificates: %s: %s", s.Serial, errs.Message(err))
	}

	return rsakey.Verify(key, s.Timestamp+"\n"+s.Nonce+"\n"+string(body)+"\n", s.Signature)
}

// sealedResource is a JSON notification with its encrypted content.
type sealedResource struct {
	EventType string `json:"event_type"`
	Resource  struct {
		Algorithm  string `json:"algorithm"`
		Ciphertext []byte `json:"ciphertext"` // base64
		Associated string `json:"associated_data"`
		Nonce      string `json:"nonce"`
	} `json:"resource"`
}

// transaction is a payment in the format of WeChat Pay (v3).
type transaction struct {
	AppID         string `json:"appid"`
	MerchantID    string `json:"mchid"`
	OutTradeNo    string `json:"out_trade_no"`
	TransactionID string `json:"transaction_id"`
	TradeType     string `json:"trade_type"`
	TradeState    string `json:"trade_state"`
	BankType      string `json:"bank_type"`
	Attach        string `json:"attach"`
	SuccessTime   string `json:"success_time"` // RFC 3339
	Payer         struct {
		OpenID string `json:"openid"`
	} `json:"payer"`
	Amount struct {
		Total         int64  `json:"total"` // cents
		PayerTotal    int64  `json:"payer_total"`
		Currency      string `json:"currency"`
		PayerCurrency string `json:"payer_currency"`
	} `json:"amount"`
}

// verifyJSON verifies and decodes a notification of WeChat Pay (v3).
func verifyJSON(k Keys, n Notification, now time.Time) (p order.Order, told bool, err error) {
	if err := n.Signature.verify(k, n.Body, now); err != nil {
		return p, false, err
	}
	var sealed sealedResource
	if json.Unmarshal(n.Body, &sealed) != nil {
		return p, false, errs.Invalid("the notification has no resource")
	}
	isRefund := strings.HasPrefix(sealed.EventType, "REFUND.")
	if !isRefund && !strings.HasPrefix(sealed.EventType, "TRANSACTION.") {
		return p, false, nil // for example a complaint
	}

	text, err := sealed.open(k.Secret[APIv3Key])
	if err != nil {
		return p, false, err
	}
	if isRefund {
		return readRefundJSON(k, text)
	}
	var t transaction
	if json.Unmarshal(text, &t) != nil {
		return p, false, errs.Invalid("the resource is no transaction")
	}
	if err := k.ForMerchant(t.AppID, t.MerchantID); err != nil {
		return p, false, err
	}
	if t.TradeState != "SUCCESS" {
		return p, false, nil
	}
	p, err = t.payment()
	if response, ok := p.Extra["chat_response"].(map[string]any); ok {
		response["nonce_str"], response["sign"] = n.Signature.Nonce, n.Signature.Signature
	}
	return p, err == nil, err
}

func (s sealedResource) open(key string) ([]byte, error) {
	if s.Resource.Algorithm != "AEAD_AES_256_GCM" {
		return nil, errs.Invalid("resource.algorithm must be AEAD_AES_256_GCM")
	}
	if len(key) != 32 {
		return nil, errs.Forbidden("no api_v3_key is set")
	}

	block, err := aes.NewCipher([]byte(key))
	if err != nil {
		return nil, err
	}

	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	// gcm.Open panics on a nonce of another length.
	if len(s.Resource.Nonce) != gcm.NonceSize() {
		return nil, errs.Invalid("resource.nonce must be %d bytes", gcm.NonceSize())
	}

	text, err := gcm.Open(nil, []byte(s.Resource.Nonce), s.Resource.Ciphertext, []byte(s.Resource.Associated))
	if err != nil {
		return nil, errs.Forbidden("the resource does not open with api_v3_key")
	}

	return text, nil
}

// payment returns the payment of a transaction. chat_response has the field names of the contract, which are those of
// XML.
func (t transaction) payment() (p order.Order, err error) {
	if t.OutTradeNo == "" {
		return p, errs.Invalid("out_trade_no is required")
	}

	at, _ := time.Parse(time.RFC3339, t.SuccessTime) // zero if absent or malformed
	response := map[string]any{
		"appid": t.AppID, "mch_id": t.MerchantID, "out_trade_no": t.OutTradeNo, "transaction_id": t.TransactionID,
		"trade_type": t.TradeType, "bank_type": t.BankType, "openid": t.Payer.OpenID,
		"total_fee": strconv.FormatInt(t.Amount.Total, 10), "cash_fee": strconv.FormatInt(t.Amount.PayerTotal, 10),
		"fee_type": order.Currency, "is_subscribe": "N", "return_code": "SUCCESS", "result_code": "SUCCESS", "time_end": "",
	}
	if t.Amount.Currency != "" {
		response["fee_type"] = t.Amount.Currency
	}
	if !at.IsZero() {
		response["time_end"] = at.In(vendorZone).Format("20060102150405")
	}

	p = order.Order{
		Gateway: gatewayOf(Chat, t.TradeType), Status: order.Success, TradeNo: t.OutTradeNo, PaidAt: at.UTC(),
		Extra: map[string]any{"chat_response": response}, Currency: t.Amount.Currency,
	}
	if at.IsZero() {
		p.PaidAt = time.Time{}
	}

	p.Total, err = order.Cents("amount.total", t.Amount.Total)

	return p, err
}
