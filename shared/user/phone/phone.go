// Package phone understands phone numbers (D30). It is a package of its own
// since its tables take milliseconds to set up: only the program that changes
// accounts pays for them.
package phone

import (
	"strings"

	"github.com/nyaruka/phonenumbers"

	"minicloud/shared/errs"
)

// homeCountry is whose national numbers are understood.
const homeCountry = "CN"

// Key returns the number in E.164 form, which says whether two are the same, or
// an errs.Invalid. Without a plus it is a Chinese number.
func Key(phone string) (string, error) {
	wrong := errs.Invalid("phone must be a phone number, as +8613800138000 or 13800138000")
	digits := strings.TrimPrefix(phone, "+")
	if len(digits) < 3 || len(digits) > 15 || strings.Trim(digits, "0123456789") != "" {
		return "", wrong
	}
	number, err := phonenumbers.Parse(phone, homeCountry)
	if err != nil || !phonenumbers.IsValidNumber(number) {
		return "", wrong
	}
	return phonenumbers.Format(number, phonenumbers.E164), nil
}
