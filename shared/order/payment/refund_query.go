package payment

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"minicloud/shared/clip"
	"minicloud/shared/errs"
	"minicloud/shared/order"
)

// NewRefundQuery returns the request that makes a vendor refund an order. A repeated request does not refund twice,
// because vendors identify refunds by the platform's number. It returns errs.Invalid if the setting is incomplete.
//
//	chat        XML    POST /secapi/pay/refund                   with the client certificate
//	chat (v3)   JSON   POST /v3/refund/domestic/refunds
//	tpay        XML    POST /cgi-bin/pay/qpay_refund.cgi         with the client certificate and an operator
//	alt         form   alipay.trade.refund
func NewRefundQuery(k Keys, o order.Order, r order.RefundRequest, nonce string, now time.Time) (Query, error) {
	base := strings.TrimSuffix(k.BaseURL, "/")
	if k.RefundURL != "" {
		// The client lets requests to addresses of the deployment reach private networks: this one is not of it.
		base, k.Deployed = strings.TrimSuffix(k.RefundURL, "/"), false
	}
	switch {
	case base == "":
		return Query{}, errs.Invalid("no base_url is set for %s: there is nobody to ask for a refund", k.Vendor)
	case k.Vendor == Alt:
		asked := map[string]string{
			"out_trade_no": o.TransactionNo, "refund_amount": r.Amount.Fixed(), "out_request_no": r.No,
		}
		if r.Memo != "" {
			asked["refund_reason"] = r.Memo
		}
		return formQuery(k, base, "alipay.trade.refund", asked, now)
	// Alipay identifies the order by the platform's transaction_no, the others by the trade_no.
	case o.TradeNo == "":
		return Query{}, errs.Invalid("the order has no trade_no, by which the vendor knows it")
	case k.usesV3():
		return refundJSON(k, o, r, base, nonce, now)
	}
	return refundXML(k, o, r, base, nonce)
}

func refundJSON(k Keys, o order.Order, r order.RefundRequest, base, nonce string, now time.Time) (Query, error) {
	asked := map[string]any{
		"out_trade_no": o.TradeNo, "out_refund_no": r.No,
		"amount": map[string]any{"refund": int64(r.Amount), "total": int64(o.Total), "currency": order.Currency},
	}
	// The vendor refuses an empty reason.
	if r.Memo != "" {
		asked["reason"] = r.Memo
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return Query{}, err
	}
	return jsonQuery(k, "POST", base, "/v3/refund/domestic/refunds", body, nonce, now)
}

func refundXML(k Keys, o order.Order, r order.RefundRequest, base, nonce string) (Query, error) {
	if k.Secret[MerchantKey] == "" {
		return Query{}, errs.Invalid("no merchant_key is set")
	}
	// These vendors refuse the connection without a client certificate.
	if strings.HasPrefix(base, "https:") && (k.MerchantCertificate == "" || k.Secret[PrivateKey] == "") {
		return Query{}, errs.Invalid("no merchant_certificate and private_key are set for %s, which refunds need", k.Vendor)
	}

	fields := map[string]string{
		"appid": k.AppID, "mch_id": k.MerchantID, "nonce_str": nonce, "out_trade_no": o.TradeNo, "out_refund_no": r.No,
		"refund_fee": strconv.FormatInt(int64(r.Amount), 10),
	}
	path := "/secapi/pay/refund"
	if k.Vendor == Tpay {
		if k.OperatorID == "" || k.Secret[OperatorPassword] == "" {
			return Query{}, errs.Invalid("no operator_id and operator_password are set for tpay, which refunds need")
		}
		password := md5.Sum([]byte(k.Secret[OperatorPassword]))
		fields["op_user_id"], fields["op_user_passwd"] = k.OperatorID, hex.EncodeToString(password[:])
		path = "/cgi-bin/pay/qpay_refund.cgi"
	} else {
		fields["total_fee"] = strconv.FormatInt(int64(o.Total), 10)
		if r.Memo != "" {
			fields["refund_desc"] = r.Memo
		}
	}
	q := k.XMLQuery(base+path, fields)
	q.Certificate, q.Key = k.MerchantCertificate, k.Secret[PrivateKey]
	return q, nil
}

// Retryable reports whether an error code means that the vendor does not know the state of a refund or order, or is
// temporarily unavailable: repeat the request with the same number. Any other refusal is final.
func Retryable(code string) bool { return slices.Contains(retryable, code) }

var retryable = []string{
	"SYSTEMERROR", "SYSTEM_ERROR", "BIZERR_NEED_RETRY", "FREQUENCY_LIMITED", "FREQUENCY_LIMIT_EXCEED", // chat, tpay
	"RATELIMIT_EXCEEDED", "66227005",
	"ACQ.SYSTEM_ERROR", "aop.ACQ.SYSTEM_ERROR", "isp.unknow-error", "aop.unknow-error", // alt
}

// ReadRefundAnswer returns the result of a refund request: accepted, succeeded or failed. After an error it is unknown
// whether the vendor refunded.
func ReadRefundAnswer(
	k Keys, o order.Order, r order.RefundRequest, a Answer, now time.Time,
) (order.RefundRequest, error) {
	switch {
	case k.Vendor == Alt:
		return readRefundForm(k, o, r, a, now)
	case k.usesV3():
		return readRefundAnswerJSON(k, r, a, now)
	}
	return readRefundXML(k, r, a)
}

// failed returns the request as failed with the vendor's code and message, or errs.Unavailable for a retryable code.
func failed(r order.RefundRequest, code, words string) (order.RefundRequest, error) {
	if Retryable(code) {
		return r, errs.Unavailable(0, "the vendor does not know what became of the refund: %s", code)
	}
	r.State, r.Reason = order.RequestFailed, clip.Text(strings.TrimSpace(code+" "+words), maxReason)
	return r, nil
}

// maxReason is the maximum length of a stored vendor message, in characters.
const maxReason = 200

func readRefundXML(k Keys, r order.RefundRequest, a Answer) (order.RefundRequest, error) {
	if a.Status != StatusOK {
		return r, errs.Unavailable(0, "the vendor answered with status %d", a.Status)
	}
	fields, err := ReadXML(a.Body, "xml")
	if err != nil {
		return r, err
	}
	if fields["return_code"] == "FAIL" { // the vendor did not parse the request, so the response is unsigned
		return failed(r, "", fields["return_msg"])
	}
	if err := k.VerifyFields(fields); err != nil {
		return r, err
	}
	if fields["result_code"] != "SUCCESS" {
		return failed(r, fields["err_code"], fields["err_code_des"])
	}
	if fields["out_refund_no"] != r.No {
		return r, errs.Forbidden("the answer is about another refund")
	}
	r.State, r.VendorNo = order.RequestAccepted, fields["refund_id"]
	return r, nil
}

func readRefundAnswerJSON(k Keys, r order.RefundRequest, a Answer, now time.Time) (order.RefundRequest, error) {
	var said struct {
		RefundID string `json:"refund_id"`
		OurNo    string `json:"out_refund_no"`
		Status   string `json:"status"`
		Code     string `json:"code"`
		Message  string `json:"message"`
	}
	if json.Unmarshal(a.Body, &said) != nil {
		return r, errs.Invalid("the answer is no refund")
	}
	if a.Status != StatusOK {
		// The response is not from the vendor's application, so the refund may have happened.
		if said.Code == "" {
			return r, errs.Unavailable(0, "the vendor answered with status %d", a.Status)
		}
		return failed(r, said.Code, said.Message)
	}
	if err := a.Signature.verify(k, a.Body, now); err != nil {
		return r, err
	}
	if said.OurNo != r.No {
		return r, errs.Forbidden("the answer is about another refund")
	}

	r.VendorNo = said.RefundID
	switch said.Status {
	case "SUCCESS":
		r.State = order.RequestSucceeded
	case "PROCESSING":
		r.State = order.RequestAccepted
	case "CLOSED", "ABNORMAL":
		return failed(r, said.Status, "")
	default:
		return r, errs.Invalid("the answer has no status")
	}
	return r, nil
}

// readRefundForm decodes a response of Alipay. refund_fee is the sum of all refunds of the order: if this request moved
// no money, the sum shows whether an earlier attempt did.
func readRefundForm(
	k Keys, o order.Order, r order.RefundRequest, a Answer, now time.Time,
) (order.RefundRequest, error) {
	if a.Status != StatusOK {
		return r, errs.Unavailable(0, "the vendor answered with status %d", a.Status)
	}
	fields, err := k.FormAnswer(a.Body, "alipay_trade_refund_response", now)
	if err != nil {
		return r, err
	}
	switch fields["code"] {
	case "10000":
	case "20000":
		return r, errs.Unavailable(0, "the vendor does not know what became of the refund")
	default:
		return failed(r, fields["sub_code"], fields["sub_msg"])
	}
	if fields["out_trade_no"] != o.TransactionNo {
		return r, errs.Forbidden("the answer is about another order")
	}

	r.State = order.RequestSucceeded
	if fields["fund_change"] == "Y" {
		return r, nil
	}
	total, err := order.ParseAmount("refund_fee", fields["refund_fee"])
	if err != nil {
		return r, err
	}
	// The sum minus the other refunds is the amount of this refund.
	for no, amount := range o.Refunds {
		if no != r.No {
			total -= amount
		}
	}
	if total < r.Amount {
		return r, errs.Unavailable(0, "the vendor says that no money has moved")
	}
	return r, nil
}
