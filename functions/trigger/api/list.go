package api

import (
	"net/http"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
)

// list serves GET /oserve/v3/trigger/.
func (g *Group) list(w http.ResponseWriter, r *http.Request) error {
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}
	filter, err := readFilter(r)
	if err != nil {
		return err
	}

	found, err := g.Triggers.List(r.Context(), httpapi.ScopeOf(r), filter, req)
	if err != nil {
		return err
	}
	httpapi.WriteList(w, r, req, found, func(t trigger.Trigger) trigger.View { return g.view(r, t) })
	return nil
}

func readFilter(r *http.Request) (f manage.Filter, err error) {
	query := r.URL.Query()
	f.Type, f.Table, f.Name = trigger.Type(query.Get("type")), query.Get("table"), query.Get("name__contains")
	if f.Type != "" && !slices.Contains(trigger.Types, f.Type) {
		return f, errs.Invalid("type must be a type of trigger, such as %q", trigger.TypeTable)
	}
	if on, given, err := flag(r, "enabled"); err != nil {
		return f, err
	} else if given {
		f.Enabled = &on
	}
	if on, given, err := flag(r, "trace"); err != nil {
		return f, err
	} else if given {
		f.Traced = &on
	}
	return f, nil
}
