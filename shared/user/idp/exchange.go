package idp

import (
	"context"
	"fmt"

	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
)

// Identity is a user as a vendor knows them.
type Identity struct {
	Vendor     messaging.Vendor
	OpenID     string // unique per app
	UnionID    string // the same in all apps of one owner; "" = the vendor does not tell it
	SessionKey string // base64, 16 bytes; "" at alt
	Profile    Profile
}

// Exchange is the port to one vendor.
type Exchange interface {
	// Exchange trades a one-time code for an identity. With profile it also asks for the user's profile, where the
	// vendor tells it to servers (alt). It returns errs.Invalid if the vendor refuses the code, and errs.Unavailable
	// with a time to wait if the vendor cannot be reached or gives no answer that can be read.
	Exchange(ctx context.Context, who templatemessage.Identity, code string, profile bool) (Identity, error)
}

// PhoneExchange is the port to a vendor that tells phone numbers to servers (chat).
type PhoneExchange interface {
	// Phone trades a one-time code for the user's phone number, which the vendor has verified. It returns a
	// *templatemessage.Refusal if the vendor refuses the code or the token, else the errors of Exchange.
	Phone(ctx context.Context, who templatemessage.Identity, token, code string) (Phone, error)
}

// retryAfter is the time after which a login may be repeated, in seconds.
const retryAfter = 5

// Unreachable returns the error for a vendor that gave no usable answer because of cause.
func Unreachable(v messaging.Vendor, cause error) error {
	wait := max(errs.RetryAfter(cause), retryAfter)
	return fmt.Errorf("%w: %w", errs.Unavailable(wait, "%s cannot be asked now, try again later", v), cause)
}

// Refused returns the error for a vendor that refuses a code, in its own words, which must contain no secret.
func Refused(v messaging.Vendor, code, words string) error {
	return errs.Invalid("code: %s refuses it (%s): %s", v, code, words)
}
