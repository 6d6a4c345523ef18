package manage_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/table"
)

// TestRowsTooLarge checks that a row over the size limit is refused, also within a bulk request.
func TestRowsTooLarge(t *testing.T) {
	t.Parallel()
	s, _, _ := start(t)
	in := create(t, s, "things",
		column("n", value.Integer, true), column("text", value.String, false), column("more", value.String, false))
	rows := insert(
		t, s, in, map[string]any{"n": 1}, map[string]any{"n": 2, "text": strings.Repeat("x", 340_000)},
		map[string]any{"n": 3},
	)
	change := operations(t, in, `{"n": {"$incr_by": 10}, "more": "`+strings.Repeat("y", 50_000)+`"}`)
	if _, err := s.Update(
		t.Context(), scope, in, rows[1].ID, change, table.Author{},
	); !errors.Is(err, table.ErrTooLarge) {
		t.Errorf("%.200v", err)
	}
	done, err := s.UpdateMatching(
		t.Context(), scope, in, table.Query{Page: page.Request{Limit: 10}}, change, table.Origin{},
	)
	if err != nil || done.Succeeded() != 2 || !errors.Is(done.Outcomes[1].Err, table.ErrTooLarge) {
		t.Errorf("%d rows updated, %v", done.Succeeded(), err)
	}
	draft := map[string]any{"text": strings.Repeat("x", table.MaxRowBytes)}
	if made := s.Insert(
		t.Context(), scope, in, []map[string]any{draft}, author,
	)[0]; !errors.Is(made.Err, table.ErrTooLarge) {
		t.Errorf("%.200v", made.Err)
	}
	recount(t, s, in)
}

// TestSizeEstimateIsNotTooSmall checks that a row within its limit also fits the 400 KB of a DynamoDB item.
func TestSizeEstimateIsNotTooSmall(t *testing.T) {
	list := slices.Repeat([]any{-1.2345678901234567e-5}, 1000)
	const number, each = 17/2 + 1 + 2, 1 // bytes: digits in pairs, exponent and sign; overhead per item
	if stored := len(list) * (number + each); table.Size(list) < stored {
		t.Errorf("%d bytes of numbers count for %d", stored, table.Size(list))
	}
}
