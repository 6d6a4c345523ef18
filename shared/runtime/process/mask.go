package process

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/sandbox"
)

// newMask returns what hides the secrets of a request in a text, and how long
// the longest text is that it looks for; nil when there is none.
func newMask(req sandbox.Request) (mask *strings.Replacer, longest int) {
	var all []string
	for _, name := range req.Secrets {
		all = append(all, forms(req.Variables[name])...)
	}
	if all == nil {
		return nil, 0
	}
	// Longer ones first: one may contain another.
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(all))
	for _, form := range all {
		pairs = append(pairs, form, "******")
	}
	return strings.NewReplacer(pairs...), len(all[0])
}

// masked returns text without the secrets.
func (t *transcript) masked(text string) string {
	if t.mask == nil {
		return text
	}
	return t.mask.Replace(text)
}

// shown returns a text of an error as answers and records show it, at most size
// bytes: without the secrets, which are masked before it is cut, since half of one
// would not be recognised.
func (t *transcript) shown(text string, size int) string {
	whole := strings.ToValidUTF8(text, "\uFFFD")
	hidden := t.masked(whole)

	// The child has cut it already, within a secret perhaps.
	if len(whole) >= childText {
		hidden = clip.Bytes(hidden, max(len(hidden)-t.longest, 0))
	}
	return clip.Bytes(hidden, size)
}

// childText is where the child cuts the texts of an error: "limit" in the
// prelude's describe_error.js, in characters, which are bytes at least.
const childText = 16 << 10

// How many bytes a secret must have to be looked for, its base64, and one of its
// lines: a shorter one could be anything, and a log whose every "1" is masked
// cannot be read.
const (
	minMasked  = 4
	minEncoded = 6
	minLine    = 8
)

// forms returns how a secret may stand in a log or an error: as it is, escaped or in base64,
// and line by line, as groups indent it and objects show it. Other parts of it
// are not recognised; one shorter than minMasked has no forms.
func forms(secret string) []string {
	if len(secret) < minMasked {
		return nil
	}

	all := escaped(secret)
	if len(secret) >= minEncoded {
		all = append(
			all, base64.RawStdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
		)
	}

	// A key of several lines is logged line by line.
	for line := range strings.SplitSeq(secret, "\n") {
		if line = strings.TrimSpace(line); len(line) >= minLine && line != secret {
			all = append(all, escaped(line)...)
		}
	}

	slices.Sort(all)
	return slices.Compact(all)
}

// escaped returns a text as it is, inside JSON strings, also those of JSON within
// JSON, inside objects on the console, and URL-encoded, by us in a path, too.
func escaped(text string) []string {
	shown := inspected.Replace(text)
	all := []string{
		text, shown, strings.ReplaceAll(shown, "'", `\'`), uriComponent.Replace(url.QueryEscape(text)), url.PathEscape(text),
	}
	for range 2 {
		quoted, err := sandbox.Encode(text)
		if err != nil {
			break
		}
		text = string(quoted[1 : len(quoted)-1])
		all = append(all, text)
	}
	return all
}

// uriComponent makes url.QueryEscape encodeURIComponent of JavaScript.
var uriComponent = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// inspected escapes what the prelude's inspect does, quotes aside.
var inspected = func() *strings.Replacer {
	pairs := []string{`\`, `\\`, "\b", `\b`, "\t", `\t`, "\n", `\n`, "\f", `\f`, "\r", `\r`, "\x7f", `\x7F`}
	for c := range ' ' {
		pairs = append(pairs, string(c), fmt.Sprintf(`\x%02X`, c))
	}
	return strings.NewReplacer(pairs...)
}()
