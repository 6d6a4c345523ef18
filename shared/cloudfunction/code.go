package cloudfunction

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"minicloud/shared/compress"
	"minicloud/shared/errs"
	"minicloud/shared/page"
)

// Code is the compressed source of a function; stores and the sandbox use it in this form.
type Code struct {
	Gzip   []byte
	Digest string // SHA-256 of the source, lower-case hex
	Bytes  int    // size of the source
	Wire   int    // size of the source as a JSON string, in bytes
}

// maxWire limits Code.Wire, so that a response can hold any function: code may consist of control characters, which
// take six bytes each in JSON.
const maxWire = 4 << 20

// Pack compresses source. It returns errs.Invalid naming function_code if the source is empty, over MaxCode, over 4
// MB as JSON, or not UTF-8.
func Pack(source string) (Code, error) {
	switch {
	case strings.TrimSpace(source) == "":
		return Code{}, errs.Invalid("function_code must not be empty")
	case len(source) > MaxCode:
		return Code{}, errs.Invalid(
			"function_code must be at most %d bytes, it has %d; bundle it smaller with %s %s",
			MaxCode, len(source), Bundle, BundleBrowser,
		)
	case !utf8.ValidString(source):
		return Code{}, errs.Invalid("function_code must be UTF-8")
	}
	wire := page.Wire(source)
	if wire > maxWire {
		return Code{}, errs.Invalid("function_code must be at most %d bytes as JSON, it has %d", maxWire, wire)
	}
	text := []byte(source)
	sum := sha256.Sum256(text)
	return Code{Gzip: compress.Gzip(text), Digest: hex.EncodeToString(sum[:]), Bytes: len(text), Wire: wire}, nil
}

// Source returns the source text.
func (c Code) Source() (string, error) {
	text, err := compress.Gunzip(c.Gzip)
	if err != nil {
		return "", fmt.Errorf("code %s: %w", c.Digest, err)
	}
	return string(text), nil
}
