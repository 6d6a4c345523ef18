package api

import (
	"context"
	"slices"
	"time"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/console"
	"minicloud/shared/console/deadletter"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// maxLetters is how many letters one request names.
const maxLetters = 200

// DeadLetters is what lies in the dead-letter queues.
type DeadLetters struct {
	At      httpapi.Milliseconds `json:"at"` // When it was looked.
	Queues  []DeadLetterQueue    `json:"queues"`
	Letters []DeadLetter         `json:"objects"`
}

// DeadLetterQueue is how much lies in a queue.
type DeadLetterQueue struct {
	Kind    deadletter.Kind `json:"kind"`
	Letters int             `json:"letters"` // Those of the application.
	Others  *int            `json:"others"`  // Those of other applications and of none; null for accounts that have not all applications.
	More    bool            `json:"more"`    // There are more than were looked at.
}

// DeadLetter is a message that was given up.
type DeadLetter struct {
	// Of the message. Where nobody noted a reason, the program's log lines about it have it as their request id.
	ID          string               `json:"id"`
	Kind        deadletter.Kind      `json:"kind"`
	Environment tenant.EnvID         `json:"environment"`
	SentAt      httpapi.Milliseconds `json:"sent_at"`
	GoneAt      httpapi.Milliseconds `json:"gone_at"`  // When the queue drops it.
	Tries       int                  `json:"tries"`    // How often it was tried before it was given up; 0 where that is not known.
	Redrives    int                  `json:"redrives"` // How often somebody has sent it again.
	Reason      string               `json:"reason"`   // Empty where its program died, or failed, each time without one.
	Repair      deadletter.Repair    `json:"repair" enum:"redrive,recount,none"`
	About       aboutView            `json:"about"`
	Body        string               `json:"body"` // The message as JSON, without secrets and whole rows, cut after 16 KiB.
}

type aboutView struct {
	Name      cloudfunction.Name `json:"function,omitempty"` // Its name; absent where it is gone.
	Function  id.ID              `json:"function_id,omitempty"`
	Job       id.ID              `json:"job_id,omitempty"`
	Trigger   trigger.ID         `json:"trigger_id,omitempty" schema:"ID"`
	Run       string             `json:"run_id,omitempty"`
	Operation id.ID              `json:"operation_id,omitempty"`
	Table     table.ID           `json:"table_id,omitempty" schema:"ID"`
	Index     string             `json:"index,omitempty"`
	Event     string             `json:"event,omitempty"` // What happened: payment, file, chat-message, or the table whose record it is.
	Subject   string             `json:"subject,omitempty"`
	Records   int                `json:"records,omitempty"`
}

// showAllHeld is how much there is of each kind; how much others have only those are told who may see all of it.
func showAllHeld(found deadletter.Listing, who console.Administrator) []DeadLetterQueue {
	views := make([]DeadLetterQueue, len(found.Held))
	for i, h := range found.Held {
		views[i] = DeadLetterQueue{Kind: h.Kind, Letters: h.Letters, More: h.More}
		if who.AllApplications {
			views[i].Others = &h.Others
		}
	}
	return views
}

func showLetter(l deadletter.Letter, function cloudfunction.Name) DeadLetter {
	a := l.About
	return DeadLetter{
		ID: l.ID, Kind: l.Kind, Environment: l.Scope.Env, SentAt: httpapi.Milliseconds(l.SentAt.UnixMilli()),
		GoneAt: httpapi.Milliseconds(l.SentAt.Add(deadletter.Kept).UnixMilli()), Tries: l.Tries, Redrives: l.Redrives, Reason: l.Reason,
		Repair: l.Repair, Body: l.Body,
		About: aboutView{
			function, a.Function, a.Job, a.Trigger, a.Run, a.Operation, a.Table, a.Index, a.Event, a.Subject, a.Records,
		},
	}
}

type listLetters struct {
	ofApplication
	Kind deadletter.Kind `query:"kind"` // All when it is not given.
}

// listLetters serves GET /console/api/application/:application/dead-letter/.
func (g *Group) listLetters(ctx context.Context, in listLetters) (view DeadLetters, err error) {
	var kinds []deadletter.Kind
	if in.Kind != "" {
		kinds = []deadletter.Kind{in.Kind}
	}
	found, err := g.Letters.List(ctx, in.Application, kinds...)
	if err != nil {
		return view, err
	}
	names, err := g.functionsOf(ctx, found.Letters)
	if err != nil {
		return view, err
	}

	view = DeadLetters{
		At: httpapi.Milliseconds(found.At.UnixMilli()), Queues: showAllHeld(found, administrator(ctx)),
		Letters: []DeadLetter{},
	}
	for _, l := range found.Letters {
		view.Letters = append(view.Letters, showLetter(l, names[functionOf{l.Scope, l.About.Function}]))
	}
	return view, nil
}

type functionOf struct {
	scope tenant.Scope
	id    id.ID
}

// functionsOf returns the names of the functions that letters are about: one read for each, without those that are
// gone.
func (g *Group) functionsOf(
	ctx context.Context, letters []deadletter.Letter,
) (map[functionOf]cloudfunction.Name, error) {
	names := map[functionOf]cloudfunction.Name{}
	for _, l := range letters {
		key := functionOf{l.Scope, l.About.Function}
		if _, known := names[key]; known || key.id == 0 {
			continue
		}
		f, err := g.Functions.ReadID(ctx, key.scope, key.id)
		if err != nil && !errs.Is(err, errs.KindNotFound) {
			return nil, err
		}
		names[key] = f.Name
	}
	return names, nil
}

type whichLetters struct {
	ofApplication
	Kind   deadletter.Kind `path:"kind"`
	IDs    *[]string       `json:"ids" minItems:"1" maxItems:"200"`
	Before *int64          `json:"before" minimum:"1"` // Unix milliseconds: all that were sent before, as at of the list.
}

type repaired struct {
	Done int  `json:"done"`
	Kept int  `json:"kept"` // Those that cannot be repaired so.
	More bool `json:"more"` // Not everything was looked at.
}

// redriveLetters serves POST /console/api/application/:application/dead-letter/:kind/redrive/.
func (g *Group) redriveLetters(ctx context.Context, in whichLetters) (repaired, error) {
	return repair(ctx, in, g.Letters.Redrive)
}

// deleteLetters serves POST /console/api/application/:application/dead-letter/:kind/delete/.
func (g *Group) deleteLetters(ctx context.Context, in whichLetters) (repaired, error) {
	return repair(ctx, in, g.Letters.Delete)
}

func repair(
	ctx context.Context, in whichLetters, do func(context.Context, deadletter.Selection) (deadletter.Done, error),
) (repaired, error) {
	selection := deadletter.Selection{App: in.Application, Kind: in.Kind}
	switch {
	case (in.IDs == nil) == (in.Before == nil):
		return repaired{}, errs.Invalid("either ids or before is required")
	case in.IDs != nil && (len(*in.IDs) == 0 || len(*in.IDs) > maxLetters):
		return repaired{}, errs.Invalid("ids must be 1 to %d ids of dead letters", maxLetters)
	case in.IDs != nil:
		selection.IDs = slices.Compact(slices.Sorted(slices.Values(*in.IDs)))
	case *in.Before <= 0:
		return repaired{}, errs.Invalid("before must be Unix milliseconds")
	default:
		selection.Before = time.UnixMilli(*in.Before)
	}
	done, err := do(ctx, selection)
	return repaired(done), err
}
