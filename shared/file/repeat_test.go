package file_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"minicloud/shared/file"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/tenant"
)

// TestBeginsOnce: a process dies at each call of the start of an upload. Repetitions with the same Idempotency-Key start
// no other upload, and tell of the same one.
func TestBeginsOnce(t *testing.T) {
	w, application := newWorld(t), tenant.AppID(0)
	for name, r := range map[string]file.Request{
		"random":          {Name: "a.png"},
		"named":           {Name: "logo.png", Named: true},
		"in parts":        {Name: "a.bin", Size: 5},
		"named, in parts": {Name: "film.bin", Named: true, Size: 5},
	} {
		for last, calls := 1, 1; last <= calls; last++ {
			for _, after := range []bool{false, true} {
				application++
				w.begin(application)
				r.By, r.Application = 5, w.shop
				notes := map[string]string{}
				again := func(p *process, again bool) (file.Started, error) {
					return p.Begin(writetoken.NewContext(t.Context(), &writetoken.Request{
						At: w.time(), Seed: "seed", Again: again,
						Note: func(_ context.Context, name, text string) (string, error) {
							if first, ok := notes[name]; ok {
								return first, nil
							}
							notes[name] = text
							return text, nil
						},
					}), w.scope, r)
				}

				p := w.start(last, after)
				again(p, false)
				calls = max(calls, p.calls)
				second, err := again(w.start(-1, false), true)
				if err != nil {
					t.Fatalf("%s, death at call %d: %v", name, last, err)
				}
				third, err := again(w.start(-1, false), true)
				if diff := cmp.Diff(second, third); diff != "" || err != nil {
					t.Errorf("%s, death at call %d: %v %s", name, last, err, diff)
				}
				due, err := w.start(-1, false).Uploads.DueUploads(t.Context(), w.time().Add(48*time.Hour), 100)
				if err != nil || len(due) != 1 || due[0].ID != second.ID {
					t.Errorf("%s, death at call %d: uploads %+v, %v", name, last, due, err)
				}
				w.settled(name)
			}
		}
	}
}
