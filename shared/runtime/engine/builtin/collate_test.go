package builtin

import (
	"slices"
	"testing"
)

// TestComparesLikeICU checks every pair of a list that is in the order of Intl.Collator.
func TestComparesLikeICU(t *testing.T) {
	var c collators
	ordered := []string{
		"", " ", "_", "-", ",", "(", "~", "😀", "$", "1", "10", "2", "a", "A", "á", "Á", "ä", "a b", "ab", "aB", "Ab",
		"áb", "b", "B",
		"co-op", "coop", "resume", "Resume", "résumé", "ss", "ß", "st", "z", "Z", "zoe", "zoë", "Zoë", "中", "文",
	}

	for i, a := range ordered {
		for j, b := range ordered {
			if got, want := c.compare(a, b, collation{sensitivity: "variant"}), min(max(i-j, -1), 1); got != want {
				t.Errorf("%q, %q: %d, want %d", a, b, got, want)
			}
		}
	}

	chinese := []string{" ", "!", "1", "阿", "重庆", "上海", "银河", "银行", "张三", "ā", "á", "a", "ä", "Z"}
	if !slices.IsSortedFunc(chinese, func(a, b string) int { return c.compare(a, b, collation{chinese: true}) }) {
		t.Error("Chinese is not in the order of its sounds")
	}
	versions := []string{"v10", "v9", "v02", "v1", "v1.10", "v1.9"}
	slices.SortFunc(versions, func(a, b string) int { return c.compare(a, b, collation{numeric: true}) })
	if want := []string{"v1", "v1.9", "v1.10", "v02", "v9", "v10"}; !slices.Equal(versions, want) {
		t.Errorf("numbers: %q", versions)
	}

	for _, x := range []struct {
		a, b, sensitivity string
		want              int
	}{
		{"a", "Á", "base", 0}, {"a", "A", "accent", 0}, {"a", "á", "case", 0}, {"a", "á", "accent", -1},
		{"a", "A", "case", -1},
	} {
		if got := c.compare(x.a, x.b, collation{sensitivity: x.sensitivity}); got != x.want {
			t.Errorf("%+v: %d", x, got)
		}
	}
}
