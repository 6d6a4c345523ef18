package api

import (
	"net/http"
	"slices"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/table"
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

	detail, _, err := httpapi.Flag(r.URL.Query(), "detail")
	if err != nil {
		return err
	}

	found, err := g.Triggers.List(r.Context(), httpapi.ScopeOf(r), filter, req)
	if err != nil {
		return err
	}
	got := triggerPage{Envelope: httpapi.List(r, req, found, func(t trigger.Trigger) trigger.View { return g.view(r, t) })}
	if detail {
		runs, err := g.Triggers.NewestOf(r.Context(), httpapi.ScopeOf(r), found.Objects)
		if err != nil {
			return err
		}
		got.Newest, got.Tables = make([]newestView, 0, len(runs)), tablesOf(found.Objects)
		for _, run := range runs {
			got.Newest = append(got.Newest, newestView{run.Ref().LogID(), run.Trigger, run.Status, run.CreatedAt.Unix()})
		}
	}
	httpapi.Write(w, http.StatusOK, got)
	return nil
}

// triggerPage is a page of triggers; with detail=1 it has what a list of them shows beside.
type triggerPage struct {
	httpapi.Envelope[trigger.View]
	Newest []newestView `json:"newest,omitzero"` // the newest entry of each one's log
	Tables []tableView  `json:"tables,omitzero"` // the tables they wait for
}

type tableView struct {
	ID   table.ID `json:"id"`
	Name string   `json:"name"`
}

// tablesOf are the tables that some triggers wait for, each once; those that were deleted are left out.
func tablesOf(triggers []trigger.Trigger) []tableView {
	tables := []tableView{}
	for _, t := range triggers {
		c, ok := t.Condition.(*trigger.TableCondition)
		if !ok || t.TableName == "" {
			continue
		}
		if shown := (tableView{t.TableID(c.Table), t.TableName}); !slices.Contains(tables, shown) {
			tables = append(tables, shown)
		}
	}
	return tables
}

// newestView is what a list shows of an entry: its attempts would outweigh the triggers.
type newestView struct {
	ID        string            `json:"id"`
	Trigger   trigger.ID        `json:"trigger"`
	Status    trigger.RunStatus `json:"status"`
	CreatedAt int64             `json:"created_at"` // Unix seconds
}

func readFilter(r *http.Request) (f manage.Filter, err error) {
	query := r.URL.Query()
	f.Type, f.Table, f.Name = trigger.Type(query.Get("type")), query.Get("table"), query.Get("name__contains")
	if f.Type != "" && !slices.Contains(trigger.Types, f.Type) {
		return f, errs.Invalid("type must be a type of trigger, such as %q", trigger.TypeTable)
	}
	if on, given, err := httpapi.Flag(r.URL.Query(), "enabled"); err != nil {
		return f, err
	} else if given {
		f.Enabled = &on
	}
	if on, given, err := httpapi.Flag(r.URL.Query(), "trace"); err != nil {
		return f, err
	} else if given {
		f.Traced = &on
	}
	return f, nil
}
