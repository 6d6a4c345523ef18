package builtin

import (
	"strings"
	"unicode"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"

	"minicloud/shared/runtime/engine/realm"
)

// hostCollate compares two strings for String.prototype.localeCompare and Intl.Collator. Its arguments are the
// strings and, optionally, whether digits compare as numbers, the sensitivity (base, accent, case or variant), and
// the language (en or zh).
func (c *collators) hostCollate(r *realm.Realm, args realm.Arguments) (realm.Value, error) {
	var texts [4]string // a, b, sensitivity, language
	for i, at := range []int{0, 1, 3, 4} {
		if at >= len(args) {
			break
		}
		var err error
		if texts[i], err = r.Text(args.At(at)); err != nil {
			return realm.Undefined, err
		}
	}

	order := c.compare(texts[0], texts[1], collation{
		numeric: realm.IsTrue(args.At(2)), sensitivity: texts[2], chinese: texts[3] == "zh",
	})
	return realm.NewInt(int32(order)), nil
}

// collation holds the options of a comparison.
type collation struct {
	numeric     bool
	sensitivity string
	chinese     bool
}

// collators caches one collator per set of options.
type collators map[collation]*collate.Collator

// maxCollated is the length in bytes up to which strings are compared by collation rules; longer ones are compared
// by bytes, which needs no memory.
const maxCollated = 64 << 10

// otherSounds replaces words whose first character is pronounced differently than alone, because Chinese is ordered
// by pronunciation.
var otherSounds = strings.NewReplacer("重庆", "虫庆", "沈阳", "弞阳", "藏文", "銺文")

func (c *collators) compare(a, b string, how collation) int {
	if len(a) > maxCollated || len(b) > maxCollated {
		return strings.Compare(a, b)
	}
	if how.chinese {
		a, b = otherSounds.Replace(a), otherSounds.Replace(b)
		if order := hanFirst(a, b); order != 0 {
			return order
		}
	}
	if how.sensitivity == "case" { // the library can ignore accents only together with case
		a, b = withoutAccents(a), withoutAccents(b)
	}

	if (*c)[how] == nil {
		if *c == nil {
			*c = collators{}
		}
		(*c)[how] = how.collator()
	}
	return (*c)[how].CompareString(a, b)
}

func (how collation) collator() *collate.Collator {
	tag, options := language.Und, []collate.Option(nil)
	if how.chinese {
		tag = language.Chinese
	}
	if how.numeric {
		options = append(options, collate.Numeric)
	}
	// ECMA-402: "base" ignores accents and case, "accent" ignores case only.
	switch how.sensitivity {
	case "base":
		options = append(options, collate.Loose)
	case "accent":
		options = append(options, collate.IgnoreCase)
	}
	return collate.New(tag, options...)
}

// withoutAccents removes the differences that the sensitivity "case" ignores: accents, and ß versus ss.
func withoutAccents(text string) string {
	text = strings.ReplaceAll(text, "ß", "ss")
	plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn))), text)
	if err != nil {
		return text
	}
	return plain
}

// hanFirst orders a Chinese character before any other letter, which the library does not. It returns 0 if the
// first difference is not between such characters.
func hanFirst(a, b string) int {
	x, y := []rune(a), []rune(b)
	for i := range min(len(x), len(y)) {
		if x[i] == y[i] {
			continue
		}
		switch first, second := unicode.Is(unicode.Han, x[i]), unicode.Is(unicode.Han, y[i]); {
		// Digits and punctuation sort before Chinese characters.
		case first && !second && unicode.IsLetter(y[i]):
			return -1
		case second && !first && unicode.IsLetter(x[i]):
			return 1
		}
		return 0
	}
	return 0
}
