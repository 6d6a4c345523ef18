package sealed_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"minicloud/shared/secret/sealed"
)

// box opens what it has sealed, for what that is bound to; it counts the data keys it opens.
type box struct{ opened int }

func (*box) NewKey(_ context.Context, bound string) (clear, key []byte, err error) {
	return []byte("clear"), []byte("key of " + bound), nil
}

func (b *box) OpenKey(_ context.Context, bound string, key []byte) ([]byte, error) {
	b.opened++
	if string(key) != "key of "+bound {
		return nil, errors.New("of another place")
	}
	return []byte("clear"), nil
}

func (*box) Encrypt(_ []byte, bound, text string) ([]byte, error) {
	return []byte(bound + "|" + text), nil
}

func (*box) Decrypt(_ []byte, bound string, sealed []byte) (string, error) {
	text, ok := strings.CutPrefix(string(sealed), bound+"|")
	if !ok {
		return "", errors.New("of another place")
	}
	return text, nil
}

// TestAnOpenerAsksOnceForEachText: and what it remembers opens for nothing else, nor for another text there.
func TestAnOpenerAsksOnceForEachText(t *testing.T) {
	b := &box{}
	o := &sealed.Opener{Sealer: b}
	first, err := sealed.Seal(t.Context(), b, "here", "one")
	if err != nil {
		t.Fatal(err)
	}
	second, err := sealed.Seal(t.Context(), b, "here", "two")
	if err != nil {
		t.Fatal(err)
	}

	for range 2 {
		if text, err := o.Open(t.Context(), "here", first); err != nil || text != "one" {
			t.Errorf("%q, %v", text, err)
		}
	}
	if b.opened != 1 {
		t.Errorf("the same text took %d calls", b.opened)
	}
	if text, err := o.Open(t.Context(), "here", second); err != nil || text != "two" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := o.Open(t.Context(), "there", first); err == nil {
		t.Errorf("elsewhere it opens as %q", text)
	}
}
