package api

import (
	"context"
	"net/http"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
	"minicloud/shared/trigger/run"
)

type replay struct {
	byEntry
	DryRun bool `query:"dry_run" ref:"dryRunFlag"`
}

type replayed struct {
	LogID string `json:"log_id"`
}

func (replayed) Status() int { return http.StatusAccepted }

// replay serves POST /oserve/v3/trigger-log/:id/replay/: it executes the same action again (G27); with ?dry_run=1 it
// returns what that would do.
func (g *Group) replay(ctx context.Context, in replay) (answer httpapi.Either[manage.Foreseen, replayed], err error) {
	ref, err := run.ParseLogID(in.Entry)
	if err != nil {
		return answer, err
	}
	if in.DryRun {
		seen, err := g.Triggers.ForeseeOne(ctx, httpapi.Scope(ctx), ref)
		answer.One = &seen
		return answer, err
	}
	answer.Other = &replayed{ref.LogID()}
	return answer, g.Triggers.Replay(ctx, httpapi.Scope(ctx), ref)
}

// replayRange selects entries of a trigger's log. ?dry_run=1 equals dry_run in the body; callers with only read
// access must use the query.
type replayRange struct {
	byID
	DryRun bool `query:"dry_run" ref:"dryRunFlag"`

	From       *int64      `json:"from" required:"true" minimum:"0" maximum:"9999999999"` // Unix seconds.
	To         *int64      `json:"to" required:"true" minimum:"0" maximum:"9999999999"`   // Unix seconds.
	OnlyFailed *bool       `json:"only_failed"`                                           // Replay only failed runs. Defaults to true.
	Dry        bool        `json:"dry_run"`
	Action     *httpapi.ID `json:"action"`
	Subject    string      `json:"subject_id"`
}

type foreseen struct {
	Count int             `json:"count" minimum:"0"`
	Would []manage.Repeat `json:"would_repeat"`
}

type replaying struct {
	Operation id.ID `json:"operation_id"`
	Count     int   `json:"count" minimum:"0"`
}

func (replaying) Status() int { return http.StatusAccepted }

// replayRange serves POST /oserve/v3/trigger/:id/replay/.
func (g *Group) replayRange(
	ctx context.Context, in replayRange,
) (answer httpapi.Either[foreseen, replaying], err error) {
	chosen, err := in.chosen()
	if err != nil {
		return answer, err
	}
	// Either flag is enough: a replay must not start when one of them asks for a dry run.
	if in.DryRun || in.Dry {
		count, would, err := g.Triggers.Foresee(ctx, httpapi.Scope(ctx), chosen)
		answer.One = &foreseen{count, would}
		return answer, err
	}
	o, err := g.Triggers.ReplayRange(ctx, httpapi.Scope(ctx), chosen)
	answer.Other = &replaying{o.ID, o.Total}
	return answer, err
}

func (in replayRange) chosen() (chosen manage.Range, err error) {
	for name, at := range map[string]*int64{"from": in.From, "to": in.To} {
		if at == nil || *at < 0 || *at > latest {
			return chosen, errs.Invalid("%s is required: Unix seconds", name)
		}
	}
	if *in.To < *in.From {
		return chosen, errs.Invalid("to must not be before from")
	}

	chosen = manage.Range{
		Trigger: in.ID, From: time.Unix(*in.From, 0), To: endOf(*in.To), Subject: in.Subject,
		All: in.OnlyFailed != nil && !*in.OnlyFailed,
	}
	if in.Action != nil {
		if *in.Action <= 0 {
			return chosen, errs.Invalid("action must be the id of an action")
		}
		chosen.Action = trigger.ActionID(*in.Action)
	}
	return chosen, nil
}
