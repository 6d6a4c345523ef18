package page_test

import (
	"errors"
	"iter"
	"slices"
	"strconv"
	"testing"

	"minicloud/shared/errs"
	"minicloud/shared/page"
)

// numbers yields 1 to n, then an error if there is one.
func numbers(n int, failed error) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := 1; i <= n; i++ {
			if !yield(i, nil) {
				return
			}
		}
		if failed != nil {
			yield(0, failed)
		}
	}
}

func wire(n int) int {
	if n == 5 {
		return page.MaxBytes
	}
	return 10
}

func key(n int) page.Cursor { return page.Cursor(strconv.Itoa(n)) }

func TestCollect(t *testing.T) {
	down := errors.New("down")
	for i, c := range []struct {
		req    page.Request
		list   iter.Seq2[int, error]
		want   []int
		next   page.Cursor
		failed error
	}{
		{page.Request{Limit: 2}, numbers(3, nil), []int{1, 2}, "2", nil},
		{page.Request{Limit: 3}, numbers(3, nil), []int{1, 2, 3}, "", nil},
		{page.Request{Limit: 2, Offset: 2}, numbers(3, nil), []int{3}, "", nil},
		{page.Request{Limit: 2, Offset: 2, After: "9"}, numbers(3, nil), []int{1, 2}, "2", nil},
		{page.Request{Limit: 2, Offset: 4}, numbers(3, nil), nil, "", nil},
		{page.Request{Limit: 9}, numbers(6, nil), []int{1, 2, 3, 4}, "4", nil},   // 5 would exceed MaxBytes
		{page.Request{Limit: 9, Offset: 4}, numbers(6, nil), []int{5}, "5", nil}, // a single record may
		{page.Request{Limit: 1, Offset: 10_000}, numbers(10_001, nil), []int{10_001}, "", nil},
		{page.Request{Limit: 1, Offset: 10_001}, numbers(10_000, nil), nil, "", nil},
		{page.Request{Limit: 1, Offset: 10_001}, numbers(10_001, nil), nil, "", page.ErrOffset()},
		{page.Request{Limit: 2}, numbers(1, down), []int{1}, "", down},
		{page.Request{Limit: 1}, numbers(2, down), []int{1}, "1", nil},
	} {
		got, err := page.Collect(c.req, c.list, wire, key)
		same := errors.Is(err, c.failed) || err != nil && c.failed != nil && err.Error() == c.failed.Error()
		if !slices.Equal(got.Objects, c.want) || got.Next != c.next || !same || got.Total != -1 {
			t.Errorf("%d: %v, next %q, %v", i, got.Objects, got.Next, err)
		}
	}
}

func TestCut(t *testing.T) {
	for i, c := range []struct {
		records []int
		limit   int
		want    []int
		next    page.Cursor
	}{
		{nil, 2, nil, ""}, {[]int{1, 2}, 2, []int{1, 2}, ""}, {[]int{1, 2, 3}, 2, []int{1, 2}, "2"},
		{[]int{1, 2, 3, 4}, 2, []int{1, 2}, "2"}, {[]int{4, 5, 6}, 9, []int{4}, "4"},
	} {
		if got := page.Cut(c.records, c.limit, wire, key); !slices.Equal(got.Objects, c.want) || got.Next != c.next {
			t.Errorf("%d: %v, next %q", i, got.Objects, got.Next)
		}
	}
}

func TestCutEndsBeforeMaxBytes(t *testing.T) {
	itself := func(n int) int { return n }
	for _, tt := range []struct {
		sizes []int
		want  int
	}{
		{nil, 0}, {[]int{1, 1}, 2}, {[]int{page.MaxBytes}, 1}, {[]int{page.MaxBytes + 1}, 1},
		{[]int{page.MaxBytes, 1}, 1}, {[]int{page.MaxBytes - 1, 1, 1}, 2},
	} {
		if got := page.Cut(tt.sizes, 9, itself, key); len(got.Objects) != tt.want {
			t.Errorf("of %v %d, not %d", tt.sizes, len(got.Objects), tt.want)
		}
	}
}

// TestOf makes pages of a whole list: by offset, and after a cursor whose record may be deleted.
func TestOf(t *testing.T) {
	all := []int{9, 7, 4, 2}
	for i, c := range []struct {
		req  page.Request
		want []int
		next page.Cursor
	}{
		{page.Request{Limit: 2}, []int{9, 7}, "7"},
		{page.Request{Limit: 2, Offset: 2}, []int{4, 2}, ""},
		{page.Request{Limit: 2, Offset: 9}, nil, ""},
		{page.Request{Limit: 2, Offset: 9, After: "7"}, []int{4, 2}, ""},
		{page.Request{Limit: 1, After: "8"}, []int{7}, "7"},
		{page.Request{Limit: 1, After: "2"}, nil, ""},
	} {
		got := page.Of(all, c.req, wire, key)
		if !slices.Equal(got.Objects, c.want) || got.Next != c.next || got.Total != len(all) {
			t.Errorf("%d: %v of %d, next %q", i, got.Objects, got.Total, got.Next)
		}
	}
}

func TestCursorID(t *testing.T) {
	for text, ok := range map[page.Cursor]bool{"12": true, "0000000000000012": true, "": false, "x": false, "-1": false, "1e3": false,
		"99999999999999999999": false} {
		n, err := text.ID()
		if (err == nil) != ok || ok && n != 12 || !ok && !errs.Is(err, errs.KindInvalid) {
			t.Errorf("%q is %d, %v", text, n, err)
		}
	}
}
