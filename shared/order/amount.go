package order

import (
	"fmt"
	"strconv"
	"strings"

	"minicloud/shared/errs"
)

// Amount is money in cents: two orders cost the same or they do not, which fractions in binary cannot say.
type Amount int64

// MaxAmount is the most one order may cost.
const MaxAmount Amount = 100_000_000_000

// ParseAmount reads a decimal number of yuan with at most two decimals, such as 398, 0.01 or 1.50. It must be above
// zero. field is named where it is not.
func ParseAmount(field, text string) (Amount, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > 2 {
		return 0, errs.Invalid("%s must have at most two decimals", field)
	}

	cents, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", 2-len(fraction)), 10, 63)
	if err != nil || whole == "" {
		return 0, errs.Invalid("%s must be a decimal number", field)
	}
	return Cents(field, int64(cents))
}

// Cents is an amount that is given in cents.
func Cents(field string, cents int64) (Amount, error) {
	if cents <= 0 || Amount(cents) > MaxAmount {
		return 0, errs.Invalid("%s must be above 0 and at most %s", field, MaxAmount)
	}
	return Amount(cents), nil
}

// String is the amount in yuan, as short as it can be: 398, 1.5, 0.01.
func (a Amount) String() string {
	text := strings.TrimRight(fmt.Sprintf("%d.%02d", a/100, a%100), "0")
	return strings.TrimSuffix(text, ".")
}

// Fixed is the amount in yuan with both decimals, as vendors write it.
func (a Amount) Fixed() string { return fmt.Sprintf("%d.%02d", a/100, a%100) }
