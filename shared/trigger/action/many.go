package action

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/trigger"
	"minicloud/shared/user"
)

// An attempt at a message to many recipients lasts for sliceTime, one page of recipients after the other; the next
// attempt continues it.
const (
	sliceTime = 15 * time.Second
	pageSize  = 25
)

// Delays before the next attempt.
const (
	goOn      = time.Millisecond // no reason to wait
	throttled = 5 * time.Second  // at least, if the service is throttling after some messages
)

// Many is an attempt at a message to many recipients.
type Many struct {
	Recipients
	Work  Work
	Clock clock.Clock
	Sent  int // the messages that this attempt has sent

	until time.Time
}

// Pages calls send for each page of recipients, from *at on, with the named fields of their profiles. room limits the
// size of a page, or returns how long to wait. done reports that all pages are done; otherwise the attempt ends, and
// the next one begins with the page at *at.
func (m *Many) Pages(
	ctx context.Context, to trigger.Recipient, keys string, at *page.Cursor, room func(most int) (int, time.Duration),
	send func([]user.Profile) (time.Duration, error),
) (done bool, wait time.Duration, err error) {
	for m.until = m.Clock.Now().Add(sliceTime); ; {
		most, wait := room(pageSize)
		if wait > 0 {
			return false, wait, nil
		}
		users, next, err := m.Find(ctx, m.Work, to, keys, page.Request{Limit: most, After: *at})
		if err != nil {
			return false, 0, err
		}

		// *at changes only after the whole page: the next attempt finds which messages of the page were sent.
		if wait, err := send(users); err != nil || wait > 0 {
			return false, wait, err
		}
		if *at = next; next == "" {
			return true, 0, nil
		}
		if m.late() {
			return false, goOn, nil
		}
	}
}

func (m *Many) late() bool { return !m.Clock.Now().Before(m.until) }

// Late returns how long to wait if the attempt must end inside a page, because a slow service has used up its time. An
// attempt that has sent nothing continues: otherwise the run would make no progress.
func (m *Many) Late() time.Duration {
	if m.Sent > 0 && m.late() {
		return goOn
	}
	return 0
}

// Stop returns the result of an attempt that ends before its run. If the service is throttling after it has accepted
// some messages, the run continues later without an error.
func (m *Many) Stop(progress, counts any, wait time.Duration, err error) (Result, error) {
	r, bad := partial(progress, counts)
	if bad != nil {
		return r, bad
	}
	if errs.Is(err, errs.KindTooMany) && m.Sent > 0 {
		wait, err = max(throttled, time.Duration(errs.RetryAfter(err))*time.Second), nil
	}
	r.Unfinished, r.After = err == nil, wait
	return r, err
}

// partial returns the result of an unfinished attempt: progress is passed to the next attempt, and the log shows the
// counts.
func partial(progress, counts any) (Result, error) {
	state, err := json.Marshal(progress)
	if err != nil {
		return Result{}, fmt.Errorf("state of the messages: %w", err)
	}
	response, err := json.Marshal(counts)
	if err != nil {
		return Result{}, fmt.Errorf("answer of the messages: %w", err)
	}
	return Result{Response: string(response), State: state}, nil
}

// Finished returns the result of a run whose recipients are all done. If the results of some messages are unknown, the
// error is Interrupted. The state is empty, because a replay starts over and finds what was sent.
func Finished(counts any, unknown int) (Result, error) {
	r, err := partial(struct{}{}, counts)
	if err == nil && unknown > 0 {
		err = Permanent(Interrupted,
			"of %d messages it is unknown whether they were sent; a replay sends them, perhaps for the second time", unknown)
	}
	return r, err
}

// Continue returns the progress of the previous attempt, the zero value if there is none.
func Continue[P any](w Work) (progress P, err error) {
	if w.State == nil {
		return progress, nil
	}
	if err := json.Unmarshal(w.State, &progress); err != nil {
		return progress, fmt.Errorf("state of the messages: %w", err)
	}
	return progress, nil
}
