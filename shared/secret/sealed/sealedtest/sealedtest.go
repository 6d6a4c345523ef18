// Package sealedtest stands in for the sealer of KMS in tests.
package sealedtest

import (
	"context"
	"fmt"
	"strings"
)

// Sealer seals without KMS: a text that is bound to another place does not open.
type Sealer struct{}

// NewKey returns a key, plain and sealed for a place.
func (Sealer) NewKey(_ context.Context, bound string) ([]byte, []byte, error) {
	return []byte("key"), []byte("sealed for " + bound), nil
}

// OpenKey opens a sealed key, if it is that of the place.
func (Sealer) OpenKey(_ context.Context, bound string, sealed []byte) ([]byte, error) {
	if string(sealed) != "sealed for "+bound {
		return nil, fmt.Errorf("sealed for another: %s", sealed)
	}
	return []byte("key"), nil
}

// Encrypt seals a text for a place.
func (Sealer) Encrypt(_ []byte, bound, text string) ([]byte, error) {
	return []byte(bound + "|" + reversed(text)), nil
}

// Decrypt opens a text, if it was sealed for the place.
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
