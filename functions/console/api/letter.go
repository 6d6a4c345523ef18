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
	"minicloud/shared/tenant"
)

// maxLetters is the maximum number of dead letters that one request names.
const maxLetters = 200

// DeadLetters is the messages in the dead-letter queues.
type DeadLetters struct {
	At      httpapi.Milliseconds `json:"at"` // The time of the lookup, in Unix milliseconds.
	Queues  []deadletter.Held    `json:"queues"`
	Letters []DeadLetter         `json:"objects"`
}

// DeadLetter is a message that failed after all attempts.
type DeadLetter struct {
	deadletter.Letter
	Environment tenant.EnvID         `json:"environment"`
	SentAt      httpapi.Milliseconds `json:"sent_at"`
	GoneAt      httpapi.Milliseconds `json:"gone_at"` // The time when the queue deletes the message.
}

// hideOthers hides the number of dead letters of other applications from administrators without access to all.
func hideOthers(queues []deadletter.Held, who console.Administrator) {
	for i := range queues {
		if !who.AllApplications {
			queues[i].Others = nil
		}
	}
}

func showLetter(l deadletter.Letter, function cloudfunction.Name) DeadLetter {
	l.About.Name = function
	return DeadLetter{
		Letter: l, Environment: l.Scope.Env, SentAt: httpapi.Milliseconds(l.SentAt.UnixMilli()),
		GoneAt: httpapi.Milliseconds(l.SentAt.Add(deadletter.Kept).UnixMilli()),
	}
}

type listLetters struct {
	ofApplication
	Kind deadletter.Kind `query:"kind"` // The kind of dead letters. Defaults to all.
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

	hideOthers(found.Held, administrator(ctx))
	view = DeadLetters{At: httpapi.Milliseconds(found.At.UnixMilli()), Queues: found.Held, Letters: []DeadLetter{}}
	for _, l := range found.Letters {
		view.Letters = append(view.Letters, showLetter(l, names[functionOf{l.Scope, l.About.Function}]))
	}
	return view, nil
}

type functionOf struct {
	scope tenant.Scope
	id    id.ID
}

// functionsOf returns the names of the functions of the dead letters, with one read per function. A deleted function
// has an empty name.
func (g *Group) functionsOf(
	ctx context.Context, letters []deadletter.Letter,
) (map[functionOf]cloudfunction.Name, error) {
	names := map[functionOf]cloudfunction.Name{}
	for _, l := range letters {
		key := functionOf{l.Scope, l.About.Function}
		if _, known := names[key]; known || key.id == 0 {
			continue
		}
		// The empty name is stored too, so that a deleted function is read only once.
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
	Before *int64          `json:"before" minimum:"1"` // All messages sent before this time, in Unix milliseconds. Use the list's `at`.
}

type repaired struct {
	Done int  `json:"done"`
	Kept int  `json:"kept"` // The number of messages that were kept because a redrive cannot repair them.
	More bool `json:"more"` // Whether messages are left to process.
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
		// A duplicate id counts once.
		selection.IDs = slices.Compact(slices.Sorted(slices.Values(*in.IDs)))
	case *in.Before <= 0:
		return repaired{}, errs.Invalid("before must be Unix milliseconds")
	default:
		selection.Before = time.UnixMilli(*in.Before)
	}
	done, err := do(ctx, selection)
	return repaired(done), err
}
