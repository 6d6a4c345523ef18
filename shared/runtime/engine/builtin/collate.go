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

// hostCollate compares two texts for String.prototype.localeCompare and Intl.Collator: its arguments are the texts and,
// if they matter, whether digits count as numbers, how much counts (base, accent, case or variant), and the language,
// en or zh.
func (c *collators) hostCollate(r *realm.Realm, argc int32, argv uintptr) (realm.Value, error) {
	var texts [4]string // a, b, sensitivity, language
	for i, at := range []int32{0, 1, 3, 4} {
		if at >= argc {
			break
		}
		var err error
		if texts[i], err = r.TextArgument(argc, argv, at); err != nil {
			return realm.Undefined, err
		}
	}

	order := c.compare(texts[0], texts[1], collation{
		numeric: realm.IsTrue(realm.Argument(argc, argv, 2)), sensitivity: texts[2], chinese: texts[3] == "zh",
	})
	return realm.NewInt(int32(order)), nil
}

// collation is the options of a comparison of texts.
type collation struct {
	numeric     bool
	sensitivity string
	chinese     bool
}

// collators are made once for each kind of comparison.
type collators map[collation]*collate.Collator

// maxCollated is the longest text, in bytes, that is compared as readers would; longer ones are compared as they are
// stored, which takes no memory.
const maxCollated = 64 << 10

// otherSounds replaces words whose first character has another sound than alone; Chinese is ordered by sound.
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
	if how.sensitivity == "case" { // the library ignores accents only together with case
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

// withoutAccents removes what the sensitivity "case" does not see: accents, and that ß is one letter.
func withoutAccents(text string) string {
	text = strings.ReplaceAll(text, "ß", "ss")
	plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn))), text)
	if err != nil {
		return text
	}
	return plain
}

// hanFirst orders a Chinese character before any other letter, which the library's order lacks; 0 where the first
// difference of the texts does not decide so.
func hanFirst(a, b string) int {
	x, y := []rune(a), []rune(b)
	for i := range min(len(x), len(y)) {
		if x[i] == y[i] {
			continue
		}
		switch first, second := unicode.Is(unicode.Han, x[i]), unicode.Is(unicode.Han, y[i]); {
		// Digits and punctuation stay before Chinese characters.
		case first && !second && unicode.IsLetter(y[i]):
			return -1
		case second && !first && unicode.IsLetter(x[i]):
			return 1
		}
		return 0
	}
	return 0
}
