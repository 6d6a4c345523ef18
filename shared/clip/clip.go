// Package clip shortens text for messages, logs and records. What it returns is valid UTF-8, whatever it is given, and
// says with its last character, "…", that it was cut.
package clip

import (
	"strings"
	"unicode/utf8"
)

const mark = "…"

// Name is how many characters of a caller's value an error names.
const Name = 64

// Text returns a text of at most n characters. It is for readers.
func Text(text string, n int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= n || utf8.RuneCountInString(text) <= n {
		return text
	}
	end := 0
	for range n - 1 {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return text[:end] + mark
}

// Bytes returns a text of at most n bytes. It is for what is stored.
func Bytes(text string, n int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= n {
		return text
	}
	end := n - len(mark)
	if end < 0 {
		return ""
	}
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}
