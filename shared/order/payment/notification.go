package payment

import (
	"bytes"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/order"
)

// Form is the format of a vendor's notifications and of the responses to them.
type Form string

// The forms.
const (
	XML        Form = "xml"
	JSON       Form = "json"
	URLEncoded Form = "form"
)

// FormOf returns the format of a notification.
func FormOf(v Vendor, body []byte) Form {
	switch {
	case v == Alt:
		return URLEncoded
	case v == Chat && bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")):
		return JSON
	}
	return XML
}

// Needs returns the names of the secrets that verify notifications of this format.
func (f Form) Needs() []string {
	switch f {
	case XML:
		return []string{MerchantKey}
	case JSON:
		return []string{APIv3Key}
	}
	return nil
}

// Notification is a notification of a vendor.
type Notification struct {
	Body []byte
	// Signature has the headers of JSON notifications.
	Signature Signature
}

// Verify verifies a notification and returns the payment or refund that it reports; told is false for a genuine
// notification that reports neither.
//
// It returns errs.Forbidden if the notification is not from the vendor, is for another application, or is a JSON
// notification older than Freshness, which may be a replay; errs.Invalid if it is malformed. No message contains a
// secret.
func Verify(k Keys, n Notification, now time.Time) (p order.Order, told bool, err error) {
	switch FormOf(k.Vendor, n.Body) {
	case XML:
		return verifyXML(k, n.Body)
	case JSON:
		return verifyJSON(k, n, now)
	}
	return verifyForm(k, n.Body, now)
}

// ForMerchant refuses validly signed content for another application of the same merchant.
func (k Keys) ForMerchant(appID, merchantID string) error {
	if k.AppID != "" && appID != k.AppID || k.MerchantID != "" && merchantID != k.MerchantID {
		return errs.Forbidden("the notification is for another application or merchant")
	}
	return nil
}

// vendorZone is the time zone of the vendors' times.
var vendorZone = time.FixedZone("UTC+8", 8*60*60)

// paidAt parses a vendor's time; it returns zero if the text is malformed.
func paidAt(layout, text string) time.Time {
	at, err := time.ParseInLocation(layout, text, vendorZone)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}
