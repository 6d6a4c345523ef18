package engine

import (
	"cmp"
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// hostCollate compares two texts for String.prototype.localeCompare: its
// arguments are the texts and, if they matter, whether digits count as numbers,
// how much counts (base, accent, case or variant), and the language, en or zh.
func hostCollate(w *world, argc int32, argv uintptr) (value, error) {
	a, err := w.textArgument(argc, argv, 0)
	if err != nil {
		return undefined, err
	}
	b, err := w.textArgument(argc, argv, 1)
	if err != nil {
		return undefined, err
	}
	sensitivity := ""
	if argc > 3 {
		if sensitivity, err = w.textArgument(argc, argv, 3); err != nil {
			return undefined, err
		}
	}
	language := ""
	if argc > 4 {
		if language, err = w.textArgument(argc, argv, 4); err != nil {
			return undefined, err
		}
	}

	return newInt(int32(collate(a, b, isTrue(argument(argc, argv, 2)), sensitivity, language == "zh"))), nil
}

// maxCollated is the longest text, in bytes, that is compared as readers would;
// longer ones are compared as they are stored, which takes no memory.
const maxCollated = 64 << 10

// collate orders plain text as the root collation of Unicode does: spaces,
// punctuation, digits, letters; accents count less than letters, and case less
// than accents. Other scripts follow in the order of their code points.
func collate(a, b string, numeric bool, sensitivity string, chinese bool) int {
	if a == b {
		return 0
	}
	if order := compareStart(a, b); order != 0 && !numeric {
		return order
	}
	if len(a) > maxCollated || len(b) > maxCollated {
		return strings.Compare(a, b)
	}

	weight := collationWeight
	if chinese {
		weight = chineseWeight
		a, b = soundsOtherwise.Replace(a), soundsOtherwise.Replace(b)
	}
	x, y := collationOf(a, chinese), collationOf(b, chinese)
	if order := compareLetters(x.letters, y.letters, numeric, weight); order != 0 {
		return order
	}

	accents, cases := sensitivity != "base" && sensitivity != "case", sensitivity != "base" && sensitivity != "accent"
	if order := compareAccents(x.accents, y.accents); accents && order != 0 {
		return order
	}
	if cases {
		return compareCase(x.text, y.text)
	}

	return 0
}

// compareStart compares two texts as far as they are ASCII; 0 means that this
// does not decide. Sorting compares far more often than it meets accents.
func compareStart(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] >= 0x80 || b[i] >= 0x80 {
			return 0
		}
		x, y := collationWeights[smallLetter(a[i])], collationWeights[smallLetter(b[i])]
		if x == y {
			continue
		}
		// An accent behind the letter would be part of another text.
		if i+1 < len(a) && a[i+1] >= 0x80 || i+1 < len(b) && b[i+1] >= 0x80 {
			return 0
		}
		return cmp.Compare(x, y)
	}
	return 0
}

func smallLetter(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// collation is a text split into what is compared first, second and third.
type collation struct {
	letters []rune // in small letters, without accents
	accents string // a space for every letter before the last accent
	text    []rune // without accents
}

// spelled are letters that stand for others.
var spelled = map[rune]string{'æ': "ae", 'œ': "oe", 'ß': "ss", 'ø': "o", 'đ': "d", 'ł': "l"}

// tones are the accents of pinyin in their order, before a letter without one; they are this in Chinese only.
var tones = map[rune]rune{'\u0304': 1, '\u0301': 2, '\u030c': 3, '\u0300': 4}

func collationOf(text string, chinese bool) collation {
	ascii := true
	for i := range len(text) {
		ascii = ascii && text[i] < 0x80
	}

	if ascii {
		runes := []rune(text)
		return collation{letters: []rune(strings.ToLower(text)), text: runes}
	}

	var c collation
	var accents strings.Builder
	for _, r := range norm.NFD.String(text) {
		if unicode.Is(unicode.M, r) {
			if tone, ok := tones[r]; ok && chinese {
				r = tone
			}
			accents.WriteRune(r)
			continue
		}

		small := unicode.ToLower(r)
		accents.WriteByte(' ')
		if other, ok := spelled[small]; ok {
			c.text = append(c.text, []rune(other)...)
			c.letters = append(c.letters, []rune(other)...)
			accents.WriteRune(small)
			continue
		}

		c.text = append(c.text, r)
		c.letters = append(c.letters, small)
	}

	c.accents = strings.TrimRight(accents.String(), " ")

	return c
}

// compareAccents takes the end of a text for letters without accents: a tone comes before none, every other accent
// after.
func compareAccents(a, b string) int {
	x, y := []rune(a), []rune(b)
	at := func(text []rune, i int) rune {
		if i < len(text) {
			return text[i]
		}
		return ' '
	}
	for i := range max(len(x), len(y)) {
		if order := cmp.Compare(at(x, i), at(y, i)); order != 0 {
			return order
		}
	}
	return 0
}

// collationOrder are the characters of ASCII in their order; letters follow.
const collationOrder = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"

var collationWeights = func() (weights [128]int) {
	for i, c := range collationOrder {
		weights[c] = (i + 1) << 21 // beyond every code point
	}
	return weights
}()

func collationWeight(r rune) int {
	if r < 128 {
		return collationWeights[r]
	}
	if unicode.IsPunct(r) || unicode.IsSymbol(r) {
		return collationWeights['~'] + int(r)
	}
	return 1<<30 + int(r)
}

// pinyin are the characters of Chinese in the order of Intl.Collator("zh"), by their sound.
//
//go:embed pinyin.txt
var pinyin string

// soundsOtherwise makes one letter of the words that sound otherwise than their first character alone; afterWhich has
// the character that it follows.
var (
	soundsOtherwise = strings.NewReplacer("重庆", "\ue000", "沈阳", "\ue001", "藏文", "\ue002")
	afterWhich      = map[rune]rune{'\ue000': '虫', '\ue001': '弞', '\ue002': '銺'}
)

// firstHan and lastHan bound the characters that pinyin has.
const firstHan, lastHan = 0x3400, 0x9fff

var pinyinRanks = sync.OnceValue(func() []uint16 {
	ranks := make([]uint16, lastHan-firstHan+1)
	n := uint16(0)
	for _, r := range pinyin {
		n++
		ranks[r-firstHan] = n
	}
	return ranks
})

// chineseWeight puts Chinese characters between digits and letters, by their sound.
func chineseWeight(r rune) int {
	if before, ok := afterWhich[r]; ok {
		return chineseWeight(before) + 1
	}
	switch {
	case r >= firstHan && r <= lastHan && pinyinRanks()[r-firstHan] > 0:
		return collationWeights['9'] + 2*int(pinyinRanks()[r-firstHan])
	case unicode.Is(unicode.Han, r):
		return collationWeights['9'] + 1<<17 + int(r)
	}
	return collationWeight(r)
}

func compareLetters(a, b []rune, numeric bool, weight func(rune) int) int {
	for len(a) > 0 && len(b) > 0 {
		if numeric && isDigit(a[0]) && isDigit(b[0]) {
			var x, y string
			x, a = leadingNumber(a)
			y, b = leadingNumber(b)
			if order := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); order != 0 {
				return order
			}
			continue
		}

		if order := cmp.Compare(weight(a[0]), weight(b[0])); order != 0 {
			return order
		}

		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// leadingNumber takes the digits off a text, without leading zeros.
func leadingNumber(text []rune) (number string, rest []rune) {
	end := 0
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	return strings.TrimLeft(string(text[:end]), "0"), text[end:]
}

// compareCase puts small letters before large ones.
func compareCase(a, b []rune) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] && unicode.ToLower(a[i]) == unicode.ToLower(b[i]) {
			if unicode.ToLower(a[i]) == a[i] {
				return -1
			}
			return 1
		}
	}
	return cmp.Compare(len(a), len(b))
}
