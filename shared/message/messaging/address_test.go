package messaging_test

import (
	"net/mail"
	"strings"
	"testing"

	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
)

func TestParsesAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"ada@example.com":                  "ada@example.com",
		" ada+shop@Example.com ":           "ada+shop@example.com",
		"Ada <ada@example.com>":            `"Ada" <ada@example.com>`,
		"阿达 <ada@example.com>":             "=?utf-8?q?=E9=98=BF=E8=BE=BE?= <ada@example.com>",
		"ada@例え.jp":                        "ada@xn--r8jz45g.jp",
		`"a b"@example.com`:                `"a b"@example.com`,
		"":                                 "",
		"ada":                              "",
		"ada@localhost":                    "",
		"ada@example.com, eve@example.com": "",
		"ada@example.com\r\nBcc: eve@example.com":   "",
		"Ada\r\nBcc: <eve@example.com>":             "",
		"=?utf-8?q?A=0D=0ABcc:_x?= <a@example.com>": "",
		"ädа@example.com":                           "",
		"ada@exa mple.com":                          "",
		"team: ada@example.com;":                    "ada@example.com",
		"team: ada@example.com, b@example.com;":     "",
		strings.Repeat("a", 320) + "@example.com":   "",
	} {
		got, err := messaging.Address(text)
		if got != want || (want == "") != errs.Is(err, errs.KindInvalid) {
			t.Errorf("Address(%q) = %q, %v, want %q", text, got, err, want)
		}
	}
}

// FuzzAddress checks that the result is one line of ASCII, is one address, and parses to itself.
func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"a@b.c", "Ä <a@b.c>", `"\"\\"@b.c`, "a@b.c\n", "=?utf-8?b?DQo=?= <a@b.c>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		address, err := messaging.Address(text)
		if err != nil {
			return
		}
		if strings.ContainsFunc(address, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Fatalf("%q has become %q", text, address)
		}

		list, err := mail.ParseAddressList(address)
		if err != nil || len(list) != 1 {
			t.Errorf("%q has become %q: %v", text, address, err)
		}
	})
}

func TestOneLineReplacesControlCharacters(t *testing.T) {
	if got := messaging.OneLine("a\r\nBcc: b\tc\u2028d\x00 "); got != "a  Bcc: b c d" {
		t.Errorf("%q", got)
	}
}
