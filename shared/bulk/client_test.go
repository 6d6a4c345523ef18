package bulk_test

import (
	"context"
	"testing"

	"minicloud/shared/bulk"
	"minicloud/shared/errs"
	"minicloud/shared/permission"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// leaving is a user who is in a group when the operation opens, and has left it when the batch begins.
type leaving struct{ asked, stays int }

func (l *leaving) Subject(_ context.Context, _ tenant.Scope, id int64) (permission.Subject, error) {
	l.asked++
	switch {
	case l.stays < 0:
		return permission.Subject{}, errs.NotFound("user %d not found", id)
	case l.asked > l.stays:
		return permission.Subject{User: id}, nil
	}
	return permission.Subject{User: id, Groups: []int64{3}}, nil
}

// TestBackgroundWritesAsTheStarter: an operation changes the rows that its starter may read and write when it reaches
// them (C25).
func TestBackgroundWritesAsTheStarter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stays, hits int
		status      bulk.Status
	}{
		"a member": {1000, 60, "success"}, "who leaves": {1, 30, "success"}, "who was deleted": {-1, 0, "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, 0, "")
			who := &leaving{stays: c.stays}
			p.Subjects, p.AtOnce = who, 10

			var drafts []map[string]any
			for i := range 120 {
				kinds := [][2]string{{"user:*", "user:5"}, {"gid:3", "gid:3"}, {"user:*", "user:6"}, {"user:6", "user:5"}}
				perm := kinds[i%4]
				drafts = append(drafts, map[string]any{
					"n": i, "hits": 0, "text": "x", "_read_perm": []any{perm[0]}, "_write_perm": []any{perm[1]},
				})
			}
			for _, made := range p.Tables.Insert(t.Context(), scope, p.table, drafts, table.Author{}) {
				if made.Err != nil {
					t.Fatal(made.Err)
				}
			}

			q := p.where(t, `{}`)
			q.Reader = &table.Reader{
				Subject: permission.Subject{User: 5, Groups: []int64{3}}, Key: []byte("a key of 32 bytes for the cursor"),
			}
			done, err := p.All(t.Context(), scope, p.table, q, p.hit(t))
			if err != nil || done.Operation == 0 {
				t.Fatalf("%+v, %v", done, err)
			}
			p.finish(t)
			o := p.operation(t, done.Operation)
			if o.Status != c.status || o.User != 5 || o.Succeeded != c.hits || p.count(t, `{"hits":1}`) != c.hits {
				t.Errorf("%+v, %d rows were changed, not %d", o, p.count(t, `{"hits":1}`), c.hits)
			}
		})
	}
}
