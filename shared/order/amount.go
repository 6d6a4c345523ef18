package order

import (
	"fmt"
	"strconv"
	"strings"

	"minicloud/shared/errs"
)

// Amount is an amount of money in cents: an integer, because binary fractions cannot be compared exactly.
type Amount int64

// MaxAmount is the maximum total of an order.
const MaxAmount Amount = 100_000_000_000

// ParseAmount parses a decimal number of yuan with at most two decimals, such as 398, 0.01 or 1.50. It must be above
// zero. Errors name field.
func ParseAmount(field, text string) (Amount, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > 2 {
		return 0, errs.Invalid("%s must have at most two decimals", field)
	}

	cents, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", 2-len(fraction)), 10, 63)
	if err != nil || whole == "" {
		return 0, errs.Invalid("%s must be a decimal number above 0", field)
	}
	return Cents(field, int64(cents))
}

// Cents returns an amount given in cents. It returns errs.Invalid, which names field, if it is out of range.
func Cents(field string, cents int64) (Amount, error) {
	if cents <= 0 || Amount(cents) > MaxAmount {
		return 0, errs.Invalid("%s must be above 0 and at most %s", field, MaxAmount)
	}
	return Amount(cents), nil
}

// String returns the amount in yuan without trailing zeros: 398, 1.5, 0.01.
func (a Amount) String() string {
	text := strings.TrimRight(fmt.Sprintf("%d.%02d", a/100, a%100), "0")
	return strings.TrimSuffix(text, ".")
}

// Fixed returns the amount in yuan with two decimals, the format of the vendors.
func (a Amount) Fixed() string { return fmt.Sprintf("%d.%02d", a/100, a%100) }
