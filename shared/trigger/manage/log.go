package manage

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/errs"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/hook"
	"minicloud/shared/trigger/run"
)

// Log returns a page of the runs of one trigger, newest first. The log remains after the trigger is deleted (G9). It
// returns errs.NotFound for an unknown trigger.
func (s *Service) Log(
	ctx context.Context, scope tenant.Scope, t trigger.ID, f run.Filter, req page.Request,
) (page.Page[run.Run], error) {
	if err := s.known(ctx, scope, t); err != nil {
		return page.Page[run.Run]{}, err
	}
	return s.log(ctx, scope, []trigger.ID{t}, f, req)
}

// known returns errs.NotFound if a trigger neither exists nor is among the deleted triggers that may have a log.
func (s *Service) known(ctx context.Context, scope tenant.Scope, t trigger.ID) error {
	_, err := s.Store.Trigger(ctx, scope, t)
	if !errs.Is(err, errs.KindNotFound) {
		return err
	}
	gone, failed := s.Store.Gone(ctx, scope)
	if failed != nil {
		return failed
	}
	if slices.Contains(gone, t) {
		return nil
	}
	return err
}

// WholeLog returns a page of the runs of all triggers, newest first.
func (s *Service) WholeLog(
	ctx context.Context, scope tenant.Scope, f run.Filter, req page.Request,
) (page.Page[run.Run], error) {
	all, err := s.Store.Triggers(ctx, scope)
	if err != nil {
		return page.Page[run.Run]{}, err
	}
	of, err := s.Store.Gone(ctx, scope)
	if err != nil {
		return page.Page[run.Run]{}, err
	}
	return s.log(ctx, scope, append(of, ids(all)...), f, req)
}

// Newest returns a page of the newest entry of each trigger, newest first. It costs one small Query per trigger.
func (s *Service) Newest(
	ctx context.Context, scope tenant.Scope, f run.Filter, req page.Request,
) (page.Page[run.Run], error) {
	all, err := s.Store.Triggers(ctx, scope)
	if err != nil {
		return page.Page[run.Run]{}, err
	}

	newest, err := s.lists(ctx, scope, ids(all), f, 1)
	if err != nil {
		return page.Page[run.Run]{}, err
	}
	if req.After != "" {
		newest = slices.DeleteFunc(newest, func(r run.Run) bool { return r.Ref().Place() >= run.Place(req.After) })
	}
	return pageOfRuns(newest, req), nil
}

// NewestOf returns the newest entry of each of the triggers, in any order. A trigger that never fired has no entry.
func (s *Service) NewestOf(ctx context.Context, scope tenant.Scope, triggers []trigger.Trigger) ([]run.Run, error) {
	return s.lists(ctx, scope, ids(triggers), run.Filter{}, 1)
}

func ids(triggers []trigger.Trigger) []trigger.ID {
	of := make([]trigger.ID, len(triggers))
	for i, t := range triggers {
		of[i] = t.ID
	}
	return of
}

// Entry returns one entry of the log, errs.NotFound if it does not exist.
func (s *Service) Entry(ctx context.Context, scope tenant.Scope, ref run.Ref) (run.Run, error) {
	r, err := s.Runs.Run(ctx, scope, ref)
	if errs.Is(err, errs.KindNotFound) {
		err = errs.NotFound("there is no log entry %q", ref.LogID())
	}
	return r, err
}

// logsAtOnce is the number of trigger logs read in parallel.
const logsAtOnce = 16

// log merges the logs of triggers. Each log has its own partition, so that no partition gets the runs of all triggers:
// reading all logs costs one Query per trigger.
func (s *Service) log(
	ctx context.Context, scope tenant.Scope, of []trigger.ID, f run.Filter, req page.Request,
) (page.Page[run.Run], error) {
	f.Before = run.Place(req.After)
	all, err := s.lists(ctx, scope, of, f, req.Skip()+req.Limit+1)
	return pageOfRuns(all, req), err
}

// lists returns the newest entries of the triggers, at most limit per trigger.
func (s *Service) lists(
	ctx context.Context, scope tenant.Scope, of []trigger.ID, f run.Filter, limit int,
) ([]run.Run, error) {
	lists := make([][]run.Run, len(of))
	group, each := errgroup.WithContext(ctx)
	group.SetLimit(logsAtOnce)
	for i, t := range of {
		group.Go(func() (err error) {
			lists[i], err = s.Runs.List(each, scope, t, f, limit)
			return err
		})
	}
	err := group.Wait()
	return slices.Concat(lists...), err
}

// pageOfRuns returns a page of entries, newest first.
func pageOfRuns(all []run.Run, req page.Request) page.Page[run.Run] {
	place := func(r run.Run) page.Cursor { return page.Cursor(r.Ref().Place()) }
	slices.SortFunc(all, func(a, b run.Run) int { return cmp.Compare(place(b), place(a)) })
	return page.Cut(all[min(req.Skip(), len(all)):], req.Limit, runWire, place)
}

// runWire returns an upper bound of the size of a run in a response, in bytes.
func runWire(r run.Run) int {
	const rest = 1 << 10 // ids, times and member names
	text, err := json.Marshal([]any{r.TriggerName, r.Event.ID, r.Event.Subject, r.Attempts, r.Error})
	if err != nil {
		return page.MaxBytes
	}
	return len(text) + rest
}

// Evaluated returns a page of the stored evaluations of a trigger, newest first (G11). held is as in run.Evaluations.
func (s *Service) Evaluated(
	ctx context.Context, scope tenant.Scope, t trigger.ID, held *bool, req page.Request,
) (page.Page[run.Evaluated], error) {
	if _, err := s.Store.Trigger(ctx, scope, t); err != nil {
		return page.Page[run.Evaluated]{}, err
	}
	all, err := s.Evaluations.Evaluations(ctx, scope, t, held)
	return pageOf(all, req, func(e run.Evaluated) string { return e.EventID }), err
}

// Calls returns a page of the latest calls of an incoming webhook, newest first (G25).
func (s *Service) Calls(
	ctx context.Context, scope tenant.Scope, number trigger.ID, req page.Request,
) (page.Page[hook.ReceivedCall], error) {
	t, err := s.Store.Trigger(ctx, scope, number)
	if err != nil {
		return page.Page[hook.ReceivedCall]{}, err
	}
	if !t.Type.Definition().Called {
		return page.Page[hook.ReceivedCall]{}, noHook(t)
	}
	all, err := s.Hooks.Calls(ctx, scope, number)
	return pageOf(all, req, func(c hook.ReceivedCall) string { return c.ID }), err
}

// pageOf returns a page of a short list. If the item of the cursor has left the list, the page is empty.
func pageOf[T any](all []T, req page.Request, name func(T) string) page.Page[T] {
	from := min(req.Skip(), len(all))
	if req.After != "" {
		from = len(all)
		if i := slices.IndexFunc(all, func(v T) bool { return name(v) == string(req.After) }); i >= 0 {
			from = i + 1
		}
	}
	got := page.Cut(all[from:], req.Limit, nil, func(v T) page.Cursor { return page.Cursor(name(v)) })
	got.Total = len(all)
	return got
}
