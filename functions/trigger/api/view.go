package api

import (
	"net/http"
	"strconv"

	"minicloud/shared/httpapi"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
)

// writtenView is the answer to a write.
type writtenView struct {
	trigger.View
	Warnings trigger.Problems `json:"warnings"`
}

// shownKey is the settings of a webhook that the request has made: its key is shown this once (G24).
type shownKey struct {
	*trigger.WebhookSettings
	Key string `json:"key"`
}

func (g *Group) view(r *http.Request, t trigger.Trigger) trigger.View {
	v := t.View(g.Clock.Now(), base(r))
	v.Actions = append([]trigger.Action{}, v.Actions...) // never null
	return v
}

func (g *Group) written(r *http.Request, w manage.Written) writtenView {
	v := writtenView{View: g.view(r, w.Trigger), Warnings: append(trigger.Problems{}, w.Warnings...)}
	for i, a := range v.Actions {
		settings, ok := a.Settings.(*trigger.WebhookSettings)
		if text := w.Keys[a.ID]; ok && text != "" {
			v.Actions[i].Settings = shownKey{settings, text}
		}
	}
	return v
}

// tagOf is the version of a trigger: every change is a new one, also when the platform stops it.
func tagOf(t trigger.Trigger) httpapi.Tag { return httpapi.TagOf(t.ID, t.Revision) }

// unchanged lets a write change a trigger of the version that its If-Match names.
func unchanged(r *http.Request) (manage.Guard, error) {
	match, err := httpapi.IfMatch(r)
	return func(t trigger.Trigger) error { return match.Allows("trigger "+strconv.Quote(t.Name), tagOf(t)) }, err
}

// base is where hooks are called (G17): at the address where this request came.
func base(r *http.Request) string {
	if r.Header.Get("X-Forwarded-Proto") == "http" {
		return "http://" + r.Host
	}
	return "https://" + r.Host
}

// body reads the request body as a JSON object in which no key is given twice.
func body(r *http.Request) (map[string]any, error) {
	var object httpapi.Object
	err := httpapi.Decode(r, &object)
	return object, err
}

// origin is where what a request fires comes from: the function that sends it, or nowhere else.
func origin(r *http.Request) table.Origin {
	return table.Origin{Trace: httpapi.LinkOf(r), Depth: httpapi.CallerOf(r).Depth}
}

// author is who writes: the application's administrator.
func author(r *http.Request) int64 { return httpapi.CallerOf(r).Application.Owner.UserID }
