package consumer

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

// store is a fake that only reads pending jobs; every other method panics.
type store struct {
	job.Store
	asked string
	err   error
}

func (s *store) ReadPending(_ context.Context, scope tenant.Scope, fn, jobID id.ID) (job.PendingJob, error) {
	s.asked = scope.String() + " " + fn.Key() + " " + jobID.Key()
	return job.PendingJob{}, s.err
}

func TestMessages(t *testing.T) {
	const message = `{"scope":"7.production","function":1,"job":2,"revision":3}`
	for _, c := range []struct {
		what, body string
		err        error
		again      bool // delivered again
		asked, log string
	}{
		{
			"ended already", message, errs.NotFound("no such job"), false, "7.production 0000000000000001 0000000000000002", "",
		},
		{"store down", message, errs.Unavailable(1, "busy"), true, "7.production 0000000000000001 0000000000000002", ""},
		{"fails otherwise", message, errors.New("broken"), true, "7.production 0000000000000001 0000000000000002", ""},
		{"not JSON", `{`, nil, false, "", "message dropped"},
		{"another message", `{"hello":"world"}`, nil, false, "", "message dropped"},
		{"no such scope", `{"scope":"x","job":1}`, nil, false, "", "message dropped"},
	} {
		var log bytes.Buffer
		logger, s := slog.New(slog.NewTextHandler(&log, nil)), &store{err: c.err}
		g := &Group{Log: logger, Jobs: &job.Service{Store: s, Log: logger}}
		err := g.Work(t.Context(), []byte(c.body))
		if (err != nil) != c.again || s.asked != c.asked || !strings.Contains(log.String(), c.log) {
			t.Errorf("%s: %v, asked %q, log %q", c.what, err, s.asked, log.String())
		}
	}
}
