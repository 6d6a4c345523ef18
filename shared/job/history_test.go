package job

import (
	"context"
	"errors"
	"testing"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/job/runlog"
	"minicloud/shared/page"
)

// TestFollowWaitsForTheEnd; Follow also expires an overdue job.
func TestFollowWaitsForTheEnd(t *testing.T) {
	d, b := withBooks(t)
	r, m := d.start(0, Call{})
	pause, looks := d.Pause, 0
	d.Pause = func(ctx context.Context, wait time.Duration) error {
		if looks++; looks == 3 {
			d.work(m)
		}
		return pause(ctx, wait)
	}
	if got, err := d.Follow(t.Context(), shop, "f", int64(r.ID), time.Second); err != nil || got.Status != StatusFulfilled || looks != 3 {
		t.Errorf("%+v, %v after %d looks", got, err, looks)
	}
	if _, err := d.Follow(t.Context(), shop, "f", 77, time.Second); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("of none: %v", err)
	}

	r, _ = d.start(0, Call{})
	began := d.now
	if got, err := d.Follow(t.Context(), shop, "f", int64(r.ID), time.Second); err != nil || got.Status != StatusWaiting || d.now.Sub(began) != time.Second {
		t.Errorf("%+v, %v after %v", got, err, d.now.Sub(began))
	}
	w := b.pending[r.ID]
	w.Lease = d.now
	b.pending[r.ID] = w
	if got, err := d.Service.Read(t.Context(), shop, "f", int64(r.ID)); err != nil || got.Status != StatusWaiting {
		t.Errorf("in its last moment: %+v, %v", got, err)
	}
	d.now = d.now.Add(time.Millisecond)
	b.fails["End"] = errDown
	if _, err := d.Service.Read(t.Context(), shop, "f", int64(r.ID)); !errors.Is(err, errDown) {
		t.Errorf("it cannot be ended: %v", err)
	}
	b.fails["End"] = nil
	if got, err := d.Service.Read(t.Context(), shop, "f", int64(r.ID)); err != nil || got.Status != StatusScheduleFailed {
		t.Errorf("late: %+v, %v", got, err)
	}
}

func TestCancelsOnlyWaitingJobs(t *testing.T) {
	d, b := withBooks(t)
	r, m := d.start(0, Call{Callback: "https://a.example/"})
	d.take()
	b.fails["End"] = errs.NotFound("it has begun")
	if err := d.Cancel(t.Context(), shop, "f", int64(r.ID)); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("a worker is faster: %v", err)
	}
	b.fails["End"] = nil
	if err := d.Cancel(t.Context(), shop, "f", int64(r.ID)); err != nil || !b.ended[r.ID].Cancelled() {
		t.Errorf("%v, %+v", err, b.ended[r.ID])
	}
	if got := d.take(); len(got) != 1 || !got[0].Callback || got[0].Job != r.ID {
		t.Errorf("sent %+v", got)
	}
	d.work(m)
	if err := d.Cancel(t.Context(), shop, "f", int64(r.ID)); !errs.Is(err, errs.KindInvalid) || len(d.ran) != 0 {
		t.Errorf("again: %v, %d runs", err, len(d.ran))
	}
}

// TestListExpiresOverdueJobs; List reads the page again, at most three times. Far pages need a cursor.
func TestListExpiresOverdueJobs(t *testing.T) {
	late := Listing{Overdue: []Record{{ID: 4, Function: 1, Status: StatusExecuting}}}
	done := Listing{Page: page.Page[Record]{Total: 1}}
	for i, c := range []struct {
		listings []Listing
		fails    error
		expires  int
		ok       bool
	}{
		{[]Listing{done}, nil, 0, true}, {[]Listing{late, done}, errs.NotFound("others"), 1, true},
		{[]Listing{late}, errs.NotFound("others"), 3, true}, {[]Listing{late, done}, errDown, 1, false},
	} {
		d, b := withBooks(t)
		b.listings, b.fails["Expire"] = c.listings, c.fails
		got, err := d.List(t.Context(), shop, "f", Filter{}, page.Request{Limit: 1})
		if (err == nil) != c.ok || b.made("Expire") != c.expires || c.ok && got.Total != c.listings[len(c.listings)-1].Total {
			t.Errorf("list %d: %+v, %v by %v", i, got, err, b.calls)
		}
	}
}

// TestOpensSignedLogs for a day with an unchanged reference, and for at most thirty days.
func TestOpensSignedLogs(t *testing.T) {
	d, b := withBooks(t)
	r := Record{ID: id.First(d.now), Function: 1, Status: StatusFulfilled, Log: runlog.Pack("a line")}
	b.ended[r.ID] = r
	open := func(want errs.Kind, change func(*runlog.Ref)) {
		t.Helper()
		refs, err := d.Sign(t.Context(), shop, r, r)
		if err != nil || len(refs) != 2 {
			t.Fatal(refs, err)
		}
		change(&refs[0])
		text, err := d.Open(t.Context(), refs[0])
		if errs.KindOf(err) != want || (text == "a line") != (err == nil) {
			t.Errorf("%q, %v, want %q", text, err, want)
		}
	}
	open("", func(*runlog.Ref) {})
	for _, change := range []func(*runlog.Ref){
		func(ref *runlog.Ref) { ref.Scope.App++ }, func(ref *runlog.Ref) { ref.Function++ }, func(ref *runlog.Ref) { ref.Job++ },
		func(ref *runlog.Ref) { ref.Expires++ }, func(ref *runlog.Ref) { ref.Signature = "" },
	} {
		open(errs.KindForbidden, change)
	}
	open("", func(*runlog.Ref) { d.now = d.now.Add(runlog.SignedFor - time.Second) })
	open(errs.KindForbidden, func(*runlog.Ref) { d.now = d.now.Add(runlog.SignedFor) })
	d.now = r.CreatedAt().Add(KeepLog)
	open("", func(*runlog.Ref) {})
	d.now = d.now.Add(time.Millisecond)
	open(errs.KindNotFound, func(*runlog.Ref) {})
	d.now = r.CreatedAt()
	b.fails["Read"] = errDown
	open(errs.KindInternal, func(*runlog.Ref) {})
}
