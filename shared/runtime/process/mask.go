package process

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"minicloud/shared/clip"
	"minicloud/shared/language/value"
	"minicloud/shared/sandbox"
)

// newMask returns a replacer that hides the secrets of a request, and the length of the longest text it replaces;
// nil if there are no secrets.
func newMask(req sandbox.Request) (mask *strings.Replacer, longest int) {
	var all []string
	for _, name := range req.Secrets {
		all = append(all, forms(req.Variables[name])...)
	}
	if all == nil {
		return nil, 0
	}
	// Sort longer forms first, because one may contain another.
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(all))
	for _, form := range all {
		pairs = append(pairs, form, "******")
	}
	return strings.NewReplacer(pairs...), len(all[0])
}

// masked returns text with its secrets replaced.
func (t *transcript) masked(text string) string {
	if t.mask == nil {
		return text
	}
	return t.mask.Replace(text)
}

// shown returns a text of an error, at most size bytes, for responses and records. It masks secrets before it
// truncates, because a truncated secret would not match.
func (t *transcript) shown(text string, size int) string {
	whole := strings.ToValidUTF8(text, "\uFFFD")
	hidden := t.masked(whole)

	// The child may have cut the text inside a secret.
	if len(whole) >= childText {
		hidden = clip.Bytes(hidden, max(len(hidden)-t.longest, 0))
	}
	return clip.Bytes(hidden, size)
}

// childText is the length at which the child cuts the texts of an error, "limit" in the prelude's
// describe_error.js. The child counts characters, which take at least one byte each.
const childText = 16 << 10

// Minimum sizes in bytes of a secret, of a secret whose base64 is masked, and of a line of a secret. Shorter values
// could be anything, and a log in which every "1" is masked cannot be read.
const (
	minMasked  = 4
	minEncoded = 6
	minLine    = 8
)

// forms returns the encodings of a secret that may appear in a log or an error: plain, escaped, base64, and each of
// its lines, because console groups indent lines and printed objects split them. It does not recognise other parts
// of a secret. A secret shorter than minMasked has no forms.
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

	// A secret of several lines, such as a key, is logged line by line.
	for line := range strings.SplitSeq(secret, "\n") {
		if line = strings.TrimSpace(line); len(line) >= minLine && line != secret {
			all = append(all, escaped(line)...)
		}
	}

	slices.Sort(all)
	return slices.Compact(all)
}

// escaped returns a text plain, in a JSON string, in JSON within a JSON string, in a printed object, and
// URL-encoded, as JavaScript does and as Go does in paths.
func escaped(text string) []string {
	shown := inspected.Replace(text)
	all := []string{
		text, shown, strings.ReplaceAll(shown, "'", `\'`), uriComponent.Replace(url.QueryEscape(text)), url.PathEscape(text),
	}
	for range 2 {
		quoted, err := value.Encode(text)
		if err != nil {
			break
		}
		text = string(quoted[1 : len(quoted)-1])
		all = append(all, text)
	}
	return all
}

// uriComponent turns the output of url.QueryEscape into that of JavaScript's encodeURIComponent.
var uriComponent = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// inspected applies the escapes of the prelude's inspect, except for quotes.
var inspected = func() *strings.Replacer {
	pairs := []string{`\`, `\\`, "\b", `\b`, "\t", `\t`, "\n", `\n`, "\f", `\f`, "\r", `\r`, "\x7f", `\x7F`}
	for c := range ' ' {
		pairs = append(pairs, string(c), fmt.Sprintf(`\x%02X`, c))
	}
	return strings.NewReplacer(pairs...)
}()
