package api

import (
	"net/http"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
)

type firedView struct {
	EventID string      `json:"event_id"`
	Actions []startView `json:"actions"`
}

type startView struct {
	Action trigger.ActionID `json:"action"`
	LogID  string           `json:"log_id"`
}

// fire serves POST /oserve/v3/trigger/:id/fire/: as if its event had happened, and with dry_run=1 without effect.
func (g *Group) fire(w http.ResponseWriter, r *http.Request) error {
	number, err := manage.ParseID(r.PathValue("trigger"))
	if err != nil {
		return err
	}
	payload, err := event(r)
	if err != nil {
		return err
	}
	dry, _, err := httpapi.Flag(r.URL.Query(), "dry_run")
	if err != nil {
		return err
	}

	if dry {
		would, err := g.Triggers.DryRun(r.Context(), httpapi.ScopeOf(r), number, payload)
		if err != nil {
			return err
		}
		httpapi.Write(w, http.StatusOK, would)
		return nil
	}

	id, runs, err := g.Triggers.Fire(r.Context(), httpapi.ScopeOf(r), number, payload, origin(r))
	if err != nil {
		return err
	}
	v := firedView{EventID: id, Actions: []startView{}}
	for _, run := range runs {
		v.Actions = append(v.Actions, startView{run.Action, run.Ref().LogID()})
	}
	httpapi.Write(w, http.StatusOK, v)
	return nil
}

// event reads the payload, nil for a sample. A body is not needed.
func event(r *http.Request) (map[string]any, error) {
	given := map[string]any{}
	if r.ContentLength != 0 {
		var err error
		if given, err = body(r); err != nil {
			return nil, err
		}
	}
	switch payload := given["event"].(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return payload, nil
	}
	return nil, errs.Invalid("event must be an object")
}
