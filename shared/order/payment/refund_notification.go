package payment

import (
	"crypto/aes"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strconv"

	"minicloud/shared/errs"
	"minicloud/shared/order"
)

// refundOf returns the refund status and the refunds for one refund of an order with this total. An order may have
// several refunds, each with its own number and amount.
func refundOf(no string, total, amount order.Amount) (order.Refund, map[string]order.Amount) {
	refund := order.RefundPartial
	if amount >= total {
		refund = order.RefundComplete
	}
	return refund, map[string]order.Amount{no: amount}
}

// verifyRefundXML decodes a refund notification of WeChat Pay (v2). It has no signature, but only the vendor can
// encrypt req_info with the merchant key.
func verifyRefundXML(k Keys, fields map[string]string) (p order.Order, told bool, err error) {
	if err := k.ForMerchant(fields["appid"], fields["mch_id"]); err != nil {
		return p, false, err
	}
	if k.Secret[MerchantKey] == "" {
		return p, false, errs.Forbidden("no merchant_key is set")
	}
	text, err := openRefund(k.Secret[MerchantKey], fields["req_info"])
	if err != nil {
		return p, false, err
	}
	// The cipher has no authentication: decryption with a wrong key gives text that is not XML.
	inner, err := ReadXML(text, "root")
	if err != nil {
		return p, false, errs.Forbidden("req_info does not open with merchant_key")
	}

	total, err := strconv.ParseInt(inner["total_fee"], 10, 64)
	if err != nil {
		return p, false, errs.Invalid("total_fee must be an integer")
	}
	amount, err := strconv.ParseInt(inner["refund_fee"], 10, 64)
	if err != nil {
		return p, false, errs.Invalid("refund_fee must be an integer")
	}
	return chatRefund{
		tradeNo: inner["out_trade_no"], no: inner["refund_id"], ours: inner["out_refund_no"],
		status: inner["refund_status"], total: total, amount: amount,
	}.payment()
}

// openRefund decrypts req_info: AES-256-ECB with the lower-case hex MD5 of the merchant key, PKCS #7 padding.
func openRefund(key, sealed string) ([]byte, error) {
	box, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil || len(box) == 0 || len(box)%aes.BlockSize != 0 {
		return nil, errs.Invalid("req_info must be base64 of whole blocks")
	}
	sum := md5.Sum([]byte(key))
	block, err := aes.NewCipher([]byte(hex.EncodeToString(sum[:])))
	if err != nil {
		return nil, err
	}

	// ECB: the vendor encrypts each block separately, without an initialization vector.
	text := make([]byte, len(box))
	for i := 0; i < len(box); i += aes.BlockSize {
		block.Decrypt(text[i:i+aes.BlockSize], box[i:i+aes.BlockSize])
	}
	padding := int(text[len(text)-1])
	if padding == 0 || padding > aes.BlockSize {
		return nil, errs.Forbidden("req_info does not open with merchant_key")
	}
	return text[:len(text)-padding], nil
}

// chatRefund is a refund of WeChat Pay, amounts in cents.
type chatRefund struct {
	tradeNo, no   string
	ours          string // the platform's number
	status        string
	currency      string
	total, amount int64
}

// payment returns the payment that a refund reports; a refunded order was paid.
func (r chatRefund) payment() (p order.Order, told bool, err error) {
	switch {
	case r.tradeNo == "":
		return p, false, errs.Invalid("out_trade_no is required")
	case r.no == "":
		return p, false, errs.Invalid("refund_id is required")
	}
	p = order.Order{Gateway: order.Chatpay, Status: order.Success, TradeNo: r.tradeNo, RefundNo: r.ours, Currency: r.currency}
	if p.Total, err = order.Cents("total", r.total); err != nil {
		return p, false, err
	}

	switch r.status {
	case "SUCCESS":
		amount, err := order.Cents("refund", r.amount)
		if err != nil {
			return p, false, err
		}
		p.Refund, p.Refunds = refundOf(r.no, p.Total, amount)
	case "CHANGE", "REFUNDCLOSE", "ABNORMAL", "CLOSED":
		p.Refund = order.RefundFailed
	default: // still in progress
		return p, false, nil
	}
	return p, true, nil
}

// readRefundJSON decodes a refund of WeChat Pay (v3) from a decrypted resource.
func readRefundJSON(k Keys, text []byte) (p order.Order, told bool, err error) {
	var r struct {
		MerchantID string `json:"mchid"`
		OutTradeNo string `json:"out_trade_no"`
		RefundID   string `json:"refund_id"`
		OurNo      string `json:"out_refund_no"`
		Status     string `json:"refund_status"`
		Amount     struct {
			Total    int64  `json:"total"`
			Refund   int64  `json:"refund"`
			Currency string `json:"currency"`
		} `json:"amount"`
	}
	if json.Unmarshal(text, &r) != nil {
		return p, false, errs.Invalid("the resource is no refund")
	}
	if err := k.ForMerchant(k.AppID, r.MerchantID); err != nil { // a refund does not contain the application's id
		return p, false, err
	}
	return chatRefund{
		tradeNo: r.OutTradeNo, no: r.RefundID, ours: r.OurNo, status: r.Status, total: r.Amount.Total,
		amount: r.Amount.Refund, currency: r.Amount.Currency,
	}.payment()
}

// formRefund adds Alipay's refund data to a payment: refund_fee is the total refunded so far. A closed trade without it
// was never paid.
func formRefund(p *order.Order, fields map[string]string) error {
	if fields["refund_fee"] == "" {
		return nil
	}
	amount, err := order.ParseAmount("refund_fee", fields["refund_fee"])
	if err != nil {
		return err
	}
	if p.Refund = order.RefundPartial; amount >= p.Total {
		p.Refund = order.RefundComplete
	}
	return nil
}
