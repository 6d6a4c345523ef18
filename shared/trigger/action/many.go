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

// An attempt at a message to many goes on for sliceTime, a page of recipients after the other; the next one continues
// it.
const (
	sliceTime = 15 * time.Second
	pageSize  = 25
)

// How long to wait before the next attempt.
const (
	goOn      = time.Millisecond // where there is nothing to wait for
	throttled = 5 * time.Second  // at least, when the service takes no more for now, but has taken some
)

// Many is an attempt at a message to many recipients.
type Many struct {
	Recipients
	Work  Work
	Clock clock.Clock
	Sent  int // the messages that this attempt has sent

	until time.Time
}

// Pages has send work on the recipients page after page, from *at on, with the named fields of their profiles. room
// limits a page, or says how long to wait. done reports that all pages are done; otherwise the attempt ends, and the
// next one begins with the page at *at.
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

		// *at stays until the whole page is done: the next attempt finds what this one has sent of it.
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

// Late returns how long to wait, where the attempt is to end in the middle of a page: a slow service must not keep it
// from its end. An attempt that has sent nothing goes on, since it would never get on otherwise.
func (m *Many) Late() time.Duration {
	if m.Sent > 0 && m.late() {
		return goOn
	}
	return 0
}

// Stop is the result of an attempt that ends before its run. An error of a service that takes no more for now is none
// where it has taken some.
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

// partial is the result of an attempt at a message to many recipients that has got some way: progress is handed to the
// next attempt, and the log shows the counts.
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

// Finished is the result of a run whose recipients are all done, with the counts for the log and how many messages have
// an unknown fate: then it is Interrupted. Its state is empty, because a replay begins again and finds what was sent.
func Finished(counts any, unknown int) (Result, error) {
	r, err := partial(struct{}{}, counts)
	if err == nil && unknown > 0 {
		err = Permanent(Interrupted,
			"of %d messages it is unknown whether they were sent; a replay sends them, perhaps for the second time", unknown)
	}
	return r, err
}

// Continue reads the progress that the attempt before has left; the zero one where there is none.
func Continue[P any](w Work) (progress P, err error) {
	if w.State == nil {
		return progress, nil
	}
	if err := json.Unmarshal(w.State, &progress); err != nil {
		return progress, fmt.Errorf("state of the messages: %w", err)
	}
	return progress, nil
}
