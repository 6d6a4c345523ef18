package clip_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"minicloud/shared/clip"
)

func TestText(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"长长长", 3, "长长长"}, {"长长长长", 3, "长长…"},
		{"a\xe9\x95", 3, "a\uFFFD"}, {"a\xffb\xff", 3, "a\uFFFD…"}, {"😀😀", 1, "…"},
	} {
		if got := clip.Text(c.text, c.n); got != c.want {
			t.Errorf("%q to %d characters: %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

func TestBytes(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"", 3, ""}, {"abcd", 4, "abcd"}, {"abcde", 4, "a…"}, {"长长", 6, "长长"}, {"长长长", 8, "长…"}, {"长长长", 5, "…"},
		{"ab长长", 7, "ab…"}, {"a\xe9\x95", 9, "a\uFFFD"}, {"abcd", 3, "…"},
	} {
		if got := clip.Bytes(c.text, c.n); got != c.want {
			t.Errorf("%q to %d bytes: %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

// FuzzClip: both keep their limit, and what they return is text and begins as it did.
func FuzzClip(f *testing.F) {
	f.Add("长a\xff😀b", uint8(4))
	f.Fuzz(func(t *testing.T, text string, most uint8) {
		n := max(int(most), 3)
		whole := strings.ToValidUTF8(text, "\uFFFD")
		short, small := clip.Text(text, n), clip.Bytes(text, n)
		if !utf8.ValidString(short) || utf8.RuneCountInString(short) > n || !utf8.ValidString(small) || len(small) > n {
			t.Errorf("%q to %d: %q, %q", text, n, short, small)
		}
		if !strings.HasPrefix(whole, strings.TrimSuffix(short, "…")) || !strings.HasPrefix(whole, strings.TrimSuffix(small, "…")) {
			t.Errorf("%q to %d: %q, %q", text, n, short, small)
		}
	})
}
