package messaging

import (
	"net/mail"
	"strings"
	"unicode"

	"golang.org/x/net/idna"

	"minicloud/shared/errs"
)

// maxAddress is the most characters of an address with its name.
const maxAddress = 320

// Address reads one mail address, as ada@example.com or Ada <ada@example.com>, and returns it as headers have it: only
// ASCII, the name encoded and the domain in its ASCII form. errs.Invalid where it is none. An address cannot smuggle a
// header in, or a second address: it is parsed as a whole and written again.
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

	// A local part that needs quotes gets them by String.
	parsed.Address = local + "@" + domain
	if parsed.Name != "" {
		return parsed.String(), nil
	}
	return strings.Trim(parsed.String(), "<>"), nil
}

func notOfLocal(r rune) bool { return r < ' ' || r > '~' }

// OneLine is a text that may stand in a header: what ends a line, and every other control character, is a space.
func OneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text))
}
