package messaging

import (
	"net/mail"
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"minicloud/shared/errs"
)

// maxAddress is the largest length of an address with its name, in bytes.
const maxAddress = 320

// Address parses one email address, such as ada@example.com or Ada <ada@example.com>, and returns it in the form of a
// mail header: only ASCII, with the name encoded and the domain in its ASCII form. It returns errs.Invalid for other
// text. The result cannot inject a header or a second address: the text is parsed as a whole and formatted again.
func Address(text string) (string, error) {
	wrong := errs.Invalid("must be one mail address, as ada@example.com or Ada <ada@example.com>")
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxAddress || strings.ContainsFunc(text, unicode.IsControl) {
		return "", wrong
	}
	parsed, err := mail.ParseAddress(text)
	if err != nil || strings.ContainsFunc(parsed.Name, unicode.IsControl) {
		return "", wrong
	}

	at := strings.LastIndexByte(parsed.Address, '@')
	local, domain := parsed.Address[:at], parsed.Address[at+1:]
	if strings.ContainsFunc(local, notOfLocal) {
		return "", errs.Invalid("must be ASCII before the @ of the address")
	}
	if domain, err = idna.Lookup.ToASCII(domain); err != nil || !strings.Contains(domain, ".") {
		return "", wrong
	}

	// String quotes a local part that needs quotes.
	parsed.Address = local + "@" + domain
	if parsed.Name != "" {
		return parsed.String(), nil
	}
	return strings.Trim(parsed.String(), "<>"), nil
}

func notOfLocal(r rune) bool { return r < ' ' || r > '~' }

// OneLine makes a text safe for a header: it replaces line breaks and all control characters by spaces.
func OneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text))
}

// Mailbox parses one email address and returns it without its name, in lower case. Two spellings of one mailbox, such as
// Ada <ADA@Example.com> and ada@example.com, have the same result. It returns errs.Invalid as Address does.
func Mailbox(text string) (string, error) {
	header, err := Address(text)
	if err != nil {
		return "", err
	}
	parsed, err := mail.ParseAddress(header)
	if err != nil {
		return "", errs.Invalid("must be one mail address, as ada@example.com or Ada <ada@example.com>")
	}
	return strings.ToLower(parsed.Address), nil
}
