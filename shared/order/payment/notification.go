package payment

import (
	"bytes"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/order"
)

// Form is how a vendor writes, and so how it wants to be answered.
type Form string

// The forms.
const (
	XML        Form = "xml"
	JSON       Form = "json"
	URLEncoded Form = "form"
)

// FormOf tells in which form a vendor wrote.
func FormOf(v Vendor, body []byte) Form {
	switch {
	case v == Alt:
		return URLEncoded
	case v == Chat && bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")):
		return JSON
	}
	return XML
}

// Needs names the secrets that notifications in this form are verified with.
func (f Form) Needs() []string {
	switch f {
	case XML:
		return []string{MerchantKey}
	case JSON:
		return []string{APIv3Key}
	}
	return nil
}

// Notification is what a vendor sent.
type Notification struct {
	Body []byte
	// Signature is in the headers of JSON notifications.
	Signature Signature
}

// Verify returns the payment, or the refund of one, that a notification tells of; told is false where it is genuine and
// tells of none.
//
// errs.Forbidden where it is not from the vendor, is not for this application, or is a JSON notification that is too
// old: somebody sends it again. errs.Invalid where it is malformed. No message holds a secret.
func Verify(k Keys, n Notification, now time.Time) (p order.Order, told bool, err error) {
	switch FormOf(k.Vendor, n.Body) {
	case XML:
		return verifyXML(k, n.Body)
	case JSON:
		return verifyJSON(k, n, now)
	}
	return verifyForm(k, n.Body, now)
}

// forMerchant refuses what is signed rightly, but for another application of the same merchant.
func (k Keys) forMerchant(appID, merchantID string) error {
	if k.AppID != "" && appID != k.AppID || k.MerchantID != "" && merchantID != k.MerchantID {
		return errs.Forbidden("the notification is for another application or merchant")
	}
	return nil
}

// vendorZone is that of the times vendors write.
var vendorZone = time.FixedZone("UTC+8", 8*60*60)

// paidAt reads a vendor's time, zero where it is not one.
func paidAt(layout, text string) time.Time {
	at, err := time.ParseInLocation(layout, text, vendorZone)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}
