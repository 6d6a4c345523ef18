package cloudfunction

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"minicloud/shared/errs"
)

// Name is the name of a function, unique in its application and environment (D15):
//
//	name   = letter { letter | mark | digit | "_" | "-" | "." }     1–64 characters
//
// Letters and digits are those of any script; a mark is a combining sign after a letter, which many scripts need.
// Names are composed (NFC): a letter typed with a separate mark equals the same letter typed as one character.
type Name string

// ParseName returns text as a composed Name, or errs.Invalid naming the broken rule.
func ParseName(text string) (Name, error) { return parse(norm.NFC.String(text)) }

// parse is ParseName without composition.
func parse(text string) (Name, error) {
	if strings.TrimSpace(text) == "" {
		return "", errs.Invalid("name must not be empty")
	}
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) > MaxName {
		return "", errs.Invalid("name must be at most %d characters", MaxName)
	}
	for i, r := range text {
		if i == 0 && !unicode.IsLetter(r) {
			return "", errs.Invalid("name must start with a letter")
		}
		if !nameRune(r) {
			return "", errs.Invalid("name may hold letters, digits, \"_\", \"-\" and \".\", not %q", r)
		}
	}
	return Name(text), nil
}

func nameRune(r rune) bool {
	return unicode.In(r, unicode.Letter, unicode.Mark, unicode.Nd) || r == '_' || r == '-' || r == '.'
}
