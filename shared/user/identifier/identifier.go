// Package identifier checks and compares the names by which users log in.
package identifier

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"minicloud/shared/errs"
)

// Length limits of identifiers: characters of a username; bytes of an email address, of the part before its @, and of a
// label of its domain (RFC 5321).
const (
	MaxUsername   = 128
	maxEmail      = 254
	maxEmailLocal = 64
	maxLabel      = 63
)

// maxFold is the maximum length of a folded identifier, in bytes: it is part of a key, and one character can fold to
// eighteen.
const maxFold = 1024

// Fold returns the form by which usernames and email addresses are compared: texts that differ only in case, width or
// composition have the same fold (D30).
func Fold(text string) string {
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(text)))
}

// CheckUsername returns errs.Invalid if name is not a valid username.
func CheckUsername(name string) error {
	n := utf8.RuneCountInString(name)
	switch {
	case n == 0 || n > MaxUsername || len(Fold(name)) > maxFold:
		return errs.Invalid("username must have 1 to %d characters", MaxUsername)
	case strings.TrimSpace(name) != name:
		return errs.Invalid("username must not begin or end with a space")
	case strings.ContainsFunc(name, unprintable) || Fold(name) == "":
		return errs.Invalid("username must not have invisible characters")
	}
	return nil
}

func unprintable(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError || r != ' ' && unicode.IsSpace(r)
}

// CheckEmail returns errs.Invalid unless address is a plain email address with a plausible domain: no display name,
// quotes, comments or IP address.
func CheckEmail(address string) error {
	wrong := errs.Invalid("email is not a valid address")
	if len(address) > maxEmail || len(Fold(address)) > maxFold || strings.ContainsFunc(address, unprintable) {
		return wrong
	}

	// ParseAddress also accepts "Name <a@b>", so the parsed address must equal the whole input.
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Address != address {
		return wrong
	}

	at := strings.LastIndexByte(address, '@')
	local, domain := address[:at], address[at+1:]
	if len(local) > maxEmailLocal || strings.ContainsAny(local, "\" \\") || !strings.Contains(domain, ".") {
		return wrong
	}

	for label := range strings.SplitSeq(domain, ".") {
		hyphen := strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-")
		if label == "" || len(label) > maxLabel || hyphen || strings.ContainsFunc(label, notOfDomain) {
			return wrong
		}
	}

	// A domain that ends in a number is an IPv4 address.
	if last := domain[strings.LastIndexByte(domain, '.')+1:]; strings.Trim(last, "0123456789") == "" {
		return wrong
	}

	return nil
}

func notOfDomain(r rune) bool {
	return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}

// PlainPhone removes the separators that people write between digits.
func PlainPhone(phone string) string {
	return strings.NewReplacer(" ", "", "-", "", "(", "", ")", "").Replace(phone)
}
