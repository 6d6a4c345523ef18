package api

import (
	"context"
	"net/http"
	"strconv"

	"minicloud/shared/httpapi"
	"minicloud/shared/httpapi/etag"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/draft"
	"minicloud/shared/trigger/manage"
)

// byID holds the path parameter of one trigger.
type byID struct {
	ID trigger.ID `path:"trigger"`
}

// shownKey is the settings of a webhook with the key that this request created: it is shown only once (G24).
type shownKey struct {
	*trigger.WebhookSettings
	Key string `json:"key"`
}

func (g *Group) view(r *http.Request, t trigger.Trigger) trigger.View {
	v := t.View(g.Clock.Now(), base(r))
	v.Actions = append([]trigger.Action{}, v.Actions...) // [] instead of null
	return v
}

// shown returns the representation of one trigger and sets the ETag of the response to its version.
func (g *Group) shown(ctx context.Context, t trigger.Trigger) trigger.View {
	w, r := httpapi.Exchange(ctx)
	etag.Set(w, tagOf(t))
	return g.view(r, t)
}

// written returns the response to a write.
func (g *Group) written(ctx context.Context, w manage.Written) trigger.View {
	v := g.shown(ctx, w.Trigger)
	v.Warnings = append(trigger.Problems{}, w.Warnings...)
	for i, a := range v.Actions {
		settings, ok := a.Settings.(*trigger.WebhookSettings)
		if text := w.Keys[a.ID]; ok && text != "" {
			v.Actions[i].Settings = shownKey{settings, text}
		}
	}
	return v
}

// tagOf returns the ETag of a trigger. Every change makes a new version, also when the platform disables the trigger.
func tagOf(t trigger.Trigger) etag.Tag { return etag.Of(t.ID, t.Revision) }

// unchanged returns a guard that refuses the write unless the trigger has the version that If-Match names.
func unchanged(match etag.Match) manage.Guard {
	return func(t trigger.Trigger) error { return match.Allows("trigger "+strconv.Quote(t.Name), tagOf(t)) }
}

// base returns the scheme and host of this request, which also form the URLs of hooks (G17).
func base(r *http.Request) string {
	if r.Header.Get("X-Forwarded-Proto") == "http" {
		return "http://" + r.Host
	}
	return "https://" + r.Host
}

// origin returns the trace and depth of the request, for the events that it causes.
func origin(ctx context.Context) table.Origin {
	return table.Origin{Trace: httpapi.Link(ctx), Depth: httpapi.From(ctx).Depth}
}

// author returns the user id of the application's owner, who counts as the author of the write.
func author(ctx context.Context) int64 { return httpapi.From(ctx).Application.Owner.UserID }

type createTrigger struct {
	Body httpapi.Object `body:"TriggerDraft"`
}

// create serves POST /oserve/v3/trigger/.
func (g *Group) create(ctx context.Context, in createTrigger) (v trigger.View, err error) {
	made, err := g.Triggers.Create(ctx, httpapi.Scope(ctx), author(ctx), in.Body)
	if err != nil {
		return v, err
	}
	return g.written(ctx, made), nil
}

// read serves GET /oserve/v3/trigger/:id/.
func (g *Group) read(ctx context.Context, in byID) (v trigger.View, err error) {
	t, err := g.Triggers.Read(ctx, httpapi.Scope(ctx), in.ID)
	if err != nil {
		return v, err
	}
	return g.shown(ctx, t), nil
}

type replaceTrigger struct {
	byID
	Match etag.Match
	Body  httpapi.Object `body:"TriggerChange"`
}

// replace serves PUT /oserve/v3/trigger/:id/: given members replace the old ones.
func (g *Group) replace(ctx context.Context, in replaceTrigger) (v trigger.View, err error) {
	changed, err := g.Triggers.Change(ctx, httpapi.Scope(ctx), in.ID, in.Body, unchanged(in.Match))
	if err != nil {
		return v, err
	}
	return g.written(ctx, changed), nil
}

type deleteTrigger struct {
	byID
	Match etag.Match
}

// delete serves DELETE /oserve/v3/trigger/:id/ (G9).
func (g *Group) delete(ctx context.Context, in deleteTrigger) (none httpapi.None, err error) {
	return none, g.Triggers.Delete(ctx, httpapi.Scope(ctx), in.ID, unchanged(in.Match))
}

type checkTrigger struct {
	Body httpapi.Object `body:"UnfinishedTrigger"`
}

// check serves POST /oserve/v3/trigger-check/: it returns the errors of a trigger and stores nothing.
func (g *Group) check(ctx context.Context, in checkTrigger) (draft.Report, error) {
	return g.Triggers.Check(ctx, httpapi.Scope(ctx), author(ctx), in.Body)
}

// choices serves GET /oserve/v3/trigger-choice/: the types, operators and actions for new triggers.
func (g *Group) choices(context.Context, httpapi.None) (draft.Choices, error) {
	return draft.AllChoices(), nil
}
