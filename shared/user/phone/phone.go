// Package phone parses phone numbers (D30). It is a separate package because its tables take milliseconds to load: only
// the program that changes accounts needs them.
package phone

import (
	"strings"

	"github.com/nyaruka/phonenumbers"

	"minicloud/shared/errs"
)

// homeCountry is the country of numbers without a country code.
const homeCountry = "CN"

// Key returns the number in E.164 form, by which numbers are compared. It returns errs.Invalid if it is not a phone
// number. A number without a plus is Chinese.
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
