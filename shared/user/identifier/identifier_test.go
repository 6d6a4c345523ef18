package identifier

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzIdentifiers checks that no accepted identifier can do harm in a key, in a mail header or on a screen.
func FuzzIdentifiers(f *testing.F) {
	for _, seed := range []string{
		"ann", "Straße", "ＡＢＣ", "\ufdfa", "a@b.co", "用户@例子.广告", `"a b"@example.com`, "a\u202eb", "\xff", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if CheckUsername(text) == nil {
			if n := utf8.RuneCountInString(text); n > MaxUsername || Fold(text) == "" || len(Fold(text)) > maxFold ||
				strings.ContainsAny(text, "\r\n\x00\t") || !utf8.ValidString(text) {
				t.Errorf("username %q", text)
			}
		}
		if CheckEmail(text) == nil {
			local, domain, ok := strings.Cut(text, "@")
			if !ok || local == "" || !strings.Contains(domain, ".") || len(text) > maxEmail || len(Fold(text)) > maxFold ||
				strings.ContainsAny(text, " \r\n\x00\t\"<>(),;:\\[]") || !utf8.ValidString(text) {
				t.Errorf("email %q", text)
			}
		}
	})
}
