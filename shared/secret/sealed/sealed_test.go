package sealed_test

import (
	"context"
	"testing"

	"minicloud/shared/secret/sealed"
	"minicloud/shared/secret/sealed/sealedtest"
)

func TestTextOpensOnlyWhereItWasSealed(t *testing.T) {
	text, err := sealed.Seal(t.Context(), sealedtest.Sealer{}, "here", "one")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := sealed.Open(t.Context(), sealedtest.Sealer{}, "here", text); err != nil || got != "one" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := sealed.Open(t.Context(), sealedtest.Sealer{}, "there", text); err == nil {
		t.Errorf("elsewhere it opens as %q", got)
	}
}

func TestRingHasOneDataKey(t *testing.T) {
	var key []byte
	made := 0
	ring := sealed.Ring{Sealer: counting{made: &made}, Bound: "shop", Key: &key}

	// Both texts share one data key.
	boxes := map[string][]byte{}
	for _, name := range []string{"a", "b"} {
		box, err := ring.Seal(t.Context(), name, "text of "+name)
		if err != nil {
			t.Fatal(err)
		}
		boxes[name] = box
	}
	if made != 1 || key == nil {
		t.Errorf("%d data keys made, want 1 that is kept: %q", made, key)
	}
	for name, box := range boxes {
		if text, err := ring.Open(t.Context(), name, box); err != nil || text != "text of "+name {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}

	// A text does not open under another name or for another owner.
	if text, err := ring.Open(t.Context(), "b", boxes["a"]); err == nil {
		t.Errorf("under another name it opens as %q", text)
	}
	other := sealed.Ring{Sealer: ring.Sealer, Bound: "another shop", Key: &key}
	if text, err := other.Open(t.Context(), "a", boxes["a"]); err == nil {
		t.Errorf("for another owner it opens as %q", text)
	}
}

func TestPatchLeavesTheTextsAlone(t *testing.T) {
	bound := func(name string) string { return "shop#" + name }
	change, first := "second", "first"
	texts, err := sealed.Patch(t.Context(), sealedtest.Sealer{}, nil, map[string]*string{"a": &first, "b": &first}, bound)
	if err != nil || len(texts) != 2 {
		t.Fatalf("%v, %v", texts, err)
	}

	next, err := sealed.Patch(t.Context(), sealedtest.Sealer{}, texts, map[string]*string{"a": &change, "b": nil}, bound)
	if err != nil || len(next) != 1 || len(texts) != 2 {
		t.Errorf("%v of %v, %v", next, texts, err)
	}
	if text, err := sealed.Open(t.Context(), sealedtest.Sealer{}, "shop#a", next["a"]); err != nil || text != change {
		t.Errorf("%q, %v", text, err)
	}
}

// counting is a Sealer that counts the data keys it generates.
type counting struct {
	sealedtest.Sealer
	made *int
}

func (c counting) NewKey(ctx context.Context, bound string) (clear, key []byte, err error) {
	*c.made++
	return c.Sealer.NewKey(ctx, bound)
}
