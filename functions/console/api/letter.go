package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"minicloud/shared/cloudfunction"
	"minicloud/shared/console"
	"minicloud/shared/deadletter"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// maxLetters is how many letters one request names.
const maxLetters = 200

type lettersView struct {
	At      int64        `json:"at"` // Unix milliseconds
	Queues  []heldView   `json:"queues"`
	Letters []letterView `json:"objects"`
}

type heldView struct {
	Kind    deadletter.Kind `json:"kind"`
	Letters int             `json:"letters"`
	Others  *int            `json:"others"` // null for accounts that have not all applications
	More    bool            `json:"more"`
}

type letterView struct {
	ID          string            `json:"id"`
	Kind        deadletter.Kind   `json:"kind"`
	Environment tenant.EnvID      `json:"environment"`
	SentAt      int64             `json:"sent_at"` // Unix milliseconds
	GoneAt      int64             `json:"gone_at"`
	Tries       int               `json:"tries"`
	Redrives    int               `json:"redrives"`
	Reason      string            `json:"reason"`
	Repair      deadletter.Repair `json:"repair"`
	About       aboutView         `json:"about"`
	Body        string            `json:"body"`
}

type aboutView struct {
	Name      cloudfunction.Name `json:"function,omitempty"` // "": it is gone
	Function  id.ID              `json:"function_id,omitempty"`
	Job       id.ID              `json:"job_id,omitempty"`
	Trigger   trigger.ID         `json:"trigger_id,omitempty"`
	Run       string             `json:"run_id,omitempty"`
	Operation id.ID              `json:"operation_id,omitempty"`
	Table     table.ID           `json:"table_id,omitempty"`
	Index     string             `json:"index,omitempty"`
	Event     string             `json:"event,omitempty"`
	Subject   string             `json:"subject,omitempty"`
	Records   int                `json:"records,omitempty"`
}

// showAllHeld is how much there is of each kind; how much others have only those are told who may see all of it.
func showAllHeld(found deadletter.Listing, who console.Administrator) []heldView {
	views := make([]heldView, len(found.Held))
	for i, h := range found.Held {
		views[i] = heldView{Kind: h.Kind, Letters: h.Letters, More: h.More}
		if who.AllApplications {
			views[i].Others = &h.Others
		}
	}
	return views
}

func showLetter(l deadletter.Letter, function cloudfunction.Name) letterView {
	a := l.About
	return letterView{
		ID: l.ID, Kind: l.Kind, Environment: l.Scope.Env, SentAt: l.SentAt.UnixMilli(),
		GoneAt: l.SentAt.Add(deadletter.Kept).UnixMilli(), Tries: l.Tries, Redrives: l.Redrives, Reason: l.Reason,
		Repair: l.Repair, Body: l.Body,
		About: aboutView{
			function, a.Function, a.Job, a.Trigger, a.Run, a.Operation, a.Table, a.Index, a.Event, a.Subject, a.Records,
		},
	}
}

// listLetters serves GET /console/api/application/:application/dead-letter/.
func (g *Group) listLetters(w http.ResponseWriter, r *http.Request) error {
	var kinds []deadletter.Kind
	if text := r.URL.Query().Get("kind"); text != "" {
		kind, err := readKind(text)
		if err != nil {
			return errs.Invalid("kind must be one of %s", strings.Join(kindNames(), ", "))
		}
		kinds = []deadletter.Kind{kind}
	}
	found, err := g.Letters.List(r.Context(), httpapi.ScopeOf(r).App, kinds...)
	if err != nil {
		return err
	}

	view := lettersView{
		At: found.At.UnixMilli(), Queues: showAllHeld(found, administrator(r.Context())), Letters: []letterView{},
	}
	names, err := g.functionsOf(r.Context(), found.Letters)
	if err != nil {
		return err
	}
	for _, l := range found.Letters {
		view.Letters = append(view.Letters, showLetter(l, names[functionOf{l.Scope, l.About.Function}]))
	}
	httpapi.Write(w, http.StatusOK, view)
	return nil
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

// redriveLetters serves POST /console/api/application/:application/dead-letter/:kind/redrive/.
func (g *Group) redriveLetters(w http.ResponseWriter, r *http.Request) error {
	return g.repair(w, r, g.Letters.Redrive)
}

// deleteLetters serves POST /console/api/application/:application/dead-letter/:kind/delete/.
func (g *Group) deleteLetters(w http.ResponseWriter, r *http.Request) error {
	return g.repair(w, r, g.Letters.Delete)
}

func (g *Group) repair(
	w http.ResponseWriter, r *http.Request, do func(context.Context, deadletter.Selection) (deadletter.Done, error),
) error {
	kind, err := readKind(r.PathValue("kind"))
	if err != nil {
		return err
	}
	var body struct {
		IDs    *[]string `json:"ids"`
		Before *int64    `json:"before"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	selection := deadletter.Selection{App: httpapi.ScopeOf(r).App, Kind: kind}
	switch {
	case (body.IDs == nil) == (body.Before == nil):
		return errs.Invalid("either ids or before is required")
	case body.IDs != nil && (len(*body.IDs) == 0 || len(*body.IDs) > maxLetters):
		return errs.Invalid("ids must be 1 to %d ids of dead letters", maxLetters)
	case body.IDs != nil:
		selection.IDs = slices.Compact(slices.Sorted(slices.Values(*body.IDs)))
	case *body.Before <= 0:
		return errs.Invalid("before must be Unix milliseconds")
	default:
		selection.Before = time.UnixMilli(*body.Before)
	}

	done, err := do(r.Context(), selection)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, struct {
		Done int  `json:"done"`
		Kept int  `json:"kept"`
		More bool `json:"more"`
	}(done))
	return nil
}

// readKind reads a kind in a path; what is none does not exist.
func readKind(text string) (deadletter.Kind, error) {
	if kind := deadletter.Kind(text); slices.Contains(deadletter.Kinds, kind) {
		return kind, nil
	}
	return "", errs.NotFound("queue %q not found", text)
}

func kindNames() []string {
	names := make([]string, len(deadletter.Kinds))
	for i, kind := range deadletter.Kinds {
		names[i] = string(kind)
	}
	return names
}
