package api

import (
	"net/http"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
)

// replay serves POST /oserve/v3/trigger-log/:id/replay/: the same action once more (G27); with ?dry_run=1 it says what
// that would do.
func (g *Group) replay(w http.ResponseWriter, r *http.Request) error {
	ref, err := trigger.ParseLogID(r.PathValue("entry"))
	if err != nil {
		return err
	}
	dry, _, err := httpapi.Flag(r.URL.Query(), "dry_run")
	if err != nil {
		return err
	}
	if dry {
		seen, err := g.Triggers.ForeseeOne(r.Context(), httpapi.ScopeOf(r), ref)
		if err != nil {
			return err
		}
		httpapi.Write(w, http.StatusOK, seen)
		return nil
	}
	if err := g.Triggers.Replay(r.Context(), httpapi.ScopeOf(r), ref); err != nil {
		return err
	}
	httpapi.Write(w, http.StatusAccepted, map[string]string{"log_id": ref.LogID()})
	return nil
}

// replayRange serves POST /oserve/v3/trigger/:id/replay/ with {from, to, only_failed, dry_run}, and
// {action, subject_id} to choose among them. ?dry_run=1 says the same as in the body: who may only read must say it
// there.
func (g *Group) replayRange(w http.ResponseWriter, r *http.Request) error {
	number, err := manage.ParseID(r.PathValue("trigger"))
	if err != nil {
		return err
	}
	chosen, dry, err := readRange(r)
	if err != nil {
		return err
	}
	asked, _, err := httpapi.Flag(r.URL.Query(), "dry_run")
	if err != nil {
		return err
	}
	dry = dry || asked
	chosen.Trigger = number

	if dry {
		count, would, err := g.Triggers.Foresee(r.Context(), httpapi.ScopeOf(r), chosen)
		if err != nil {
			return err
		}
		httpapi.Write(w, http.StatusOK, map[string]any{"count": count, "would_repeat": would})
		return nil
	}

	o, err := g.Triggers.ReplayRange(r.Context(), httpapi.ScopeOf(r), chosen)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusAccepted, map[string]any{"operation_id": o.ID, "count": o.Total})
	return nil
}

func readRange(r *http.Request) (chosen manage.Range, dry bool, err error) {
	var given struct {
		From       *int64 `json:"from"`
		To         *int64 `json:"to"`
		OnlyFailed *bool  `json:"only_failed"`
		DryRun     bool   `json:"dry_run"`
		Action     *int64 `json:"action"`
		Subject    string `json:"subject_id"`
	}
	if err := httpapi.Decode(r, &given); err != nil {
		return chosen, false, err
	}
	for name, at := range map[string]*int64{"from": given.From, "to": given.To} {
		if at == nil || *at < 0 || *at > latest {
			return chosen, false, errs.Invalid("%s is required: Unix seconds", name)
		}
	}
	if *given.To < *given.From {
		return chosen, false, errs.Invalid("to must not be before from")
	}

	if given.Action != nil {
		if *given.Action <= 0 {
			return chosen, false, errs.Invalid("action must be the id of an action")
		}
		chosen.Action = trigger.ActionID(*given.Action)
	}

	chosen.Subject = given.Subject
	chosen.From, chosen.To = time.Unix(*given.From, 0), time.Unix(*given.To, int64(time.Second-time.Millisecond))
	chosen.All = given.OnlyFailed != nil && !*given.OnlyFailed
	return chosen, given.DryRun, nil
}
