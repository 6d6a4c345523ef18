// Package sealedtest provides a fake of the KMS sealer for tests.
package sealedtest

import (
	"context"
	"fmt"
	"strings"
)

// Sealer is a fake sealer without KMS: a text opens only with the bound text it was sealed with.
type Sealer struct{}

// NewKey returns a fixed key, in plaintext and sealed with the bound text.
func (Sealer) NewKey(_ context.Context, bound string) ([]byte, []byte, error) {
	return []byte("key"), []byte("sealed for " + bound), nil
}

// OpenKey opens a sealed key. It returns an error if the bound text differs.
func (Sealer) OpenKey(_ context.Context, bound string, sealed []byte) ([]byte, error) {
	if string(sealed) != "sealed for "+bound {
		return nil, fmt.Errorf("sealed for another: %s", sealed)
	}
	return []byte("key"), nil
}

// Encrypt seals a text with the bound text.
func (Sealer) Encrypt(_ []byte, bound, text string) ([]byte, error) {
	return []byte(bound + "|" + reversed(text)), nil
}

// Decrypt opens a text. It returns an error if the bound text differs.
func (Sealer) Decrypt(_ []byte, bound string, sealed []byte) (string, error) {
	text, ok := strings.CutPrefix(string(sealed), bound+"|")
	if !ok {
		return "", fmt.Errorf("sealed for another")
	}
	return reversed(text), nil
}

func reversed(text string) string {
	var b strings.Builder
	for i := len(text) - 1; i >= 0; i-- {
		b.WriteByte(text[i])
	}
	return b.String()
}
