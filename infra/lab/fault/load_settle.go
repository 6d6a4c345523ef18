package fault

import (
	"context"
	"time"

	"minicloud/shared/job"
)

// redelivered is when a message comes back whose worker died, and is worked on, at the latest.
const redelivered = 75*time.Second + allowance

// Settle waits until everything has run that must. With hurry messages whose worker died come back at once, because
// the local cloud is killed, and what killed workers held is begun again. What comes when nothing came for longer than
// a message needs to come back is late.
func (l *Load) Settle(ctx context.Context, played *Played, hurry bool) error {
	if hurry {
		orphans, err := l.platform.crash(0)
		if err != nil {
			return err
		}
		played.orphans += orphans
		l.platform.hurried = time.Now()
	}

	before, err := l.rest(ctx, played)
	if err != nil || len(before) == 0 {
		return err
	}
	after, err := l.rest(ctx, played)
	for line, n := range before {
		l.late[line] += n - after[line]
	}
	return err
}

// Of a load that rests, how often what killed workers held is looked for.
const (
	lookForLost  = 20 * time.Second
	hurryForLost = 5 * time.Second
)

// rest waits until nothing is missing, or no more has come for a while though nothing waits for a later attempt, and
// returns what is missing of each line.
func (l *Load) rest(ctx context.Context, played *Played) (missing map[string]int, err error) {
	left, since, looked := -1, time.Now(), time.Now()
	for {
		var next time.Time
		if missing, next, err = l.missing(ctx); err != nil {
			return nil, err
		}
		if n := total(missing); n != left {
			left, since = n, time.Now()
		}
		if next.After(since) {
			since = next
		}
		if left == 0 || time.Since(since) > patient(redelivered) {
			return missing, nil
		}

		if err := l.lookForLost(ctx, played, &looked); err != nil {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// lookForLost has what killed workers held done: jobs by the tick of a minute that has ticked, in a hurry everything.
func (l *Load) lookForLost(ctx context.Context, played *Played, looked *time.Time) error {
	hurried := !l.platform.hurried.IsZero()
	if wait := time.Since(*looked); wait < hurryForLost || !hurried && wait < lookForLost {
		return nil
	}
	*looked = time.Now()
	dead, err := l.platform.redrive(ctx)
	if err != nil {
		return err
	}
	played.redriven += dead
	if !hurried {
		l.tick(l.ticked)
		return nil
	}

	// Jobs end within moments here: who has held one for as long as this has died.
	if err := l.platform.sweep(ctx, append(resends(), job.AsyncTime+6*time.Second)...); err != nil {
		return err
	}
	for _, actor := range l.actors {
		if err := actor.hurry(ctx); err != nil {
			return err
		}
	}
	return nil
}

// missing counts runs that are not there yet, and effects that may still come, by line, and says when the last of
// those that wait for a time begins. A trigger that misses none is not asked again.
func (l *Load) missing(ctx context.Context) (missing map[string]int, next time.Time, err error) {
	missing = map[string]int{}
	for _, app := range l.apps {
		for _, w := range app.watchers {
			if w.complete {
				continue
			}
			found, err := w.log(ctx)
			if err != nil {
				return nil, next, err
			}
			lost := w.Judge(found).Lost
			if w.complete = lost == 0; !w.complete {
				missing[w.line] += lost
			}
		}
	}

	for _, actor := range l.actors {
		open, at, err := actor.waiting(ctx)
		if err != nil {
			return nil, next, err
		}
		for line, n := range open {
			missing[line] += n
		}
		if at.After(next) {
			next = at
		}
	}
	return missing, next, nil
}
