package phone_test

import (
	"strings"
	"testing"

	"minicloud/shared/errs"
	"minicloud/shared/user/phone"
)

func TestParsesPhoneNumbers(t *testing.T) {
	for number, want := range map[string]string{
		"13800138000":    "+8613800138000",
		"+8613800138000": "+8613800138000",
		"+14155552671":   "+14155552671",
		"123":            "",
		"+":              "",
		"+86138001380":   "",
		"138-0013-8000":  "",
		"１３８００１３８０００":    "",
	} {
		got, err := phone.Key(number)
		if got != want || (want == "") != errs.Is(err, errs.KindInvalid) {
			t.Errorf("Key(%q) = %q, %v, want %q", number, got, err, want)
		}
	}
}

// FuzzKey checks that the key of a key is the key itself, and that keys have digits after a plus.
func FuzzKey(f *testing.F) {
	for _, seed := range []string{"+8613800138000", "13800138000", "", "+", "++1", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, number string) {
		key, err := phone.Key(number)
		if err != nil {
			return
		}
		again, err := phone.Key(key)
		if err != nil || again != key || key[0] != '+' || strings.Trim(key[1:], "0123456789") != "" {
			t.Errorf("%q is %q, and that is %q, %v", number, key, again, err)
		}
	})
}
