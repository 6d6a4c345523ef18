package api

import (
	"context"
	"slices"

	"minicloud/shared/httpapi"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/manage"
	"minicloud/shared/trigger/run"
)

// TriggerList is a page of triggers. With detail=1 it also has the newest log entries and the tables.
type TriggerList struct {
	httpapi.Envelope[trigger.View]
	Newest []NewestEntry `json:"newest,omitzero"` // The newest log entry of each trigger that has entries.
	Tables []namedTable  `json:"tables,omitzero"` // The tables that the triggers refer to.
}

// NewestEntry is a log entry without its attempts.
type NewestEntry struct {
	ID        string          `json:"id"`
	Trigger   trigger.ID      `json:"trigger"`
	Status    run.Status      `json:"status" enum:"pending,running,waiting_retry,succeeded,failed,skipped"`
	CreatedAt httpapi.Seconds `json:"created_at"`
}

type namedTable struct {
	ID   table.ID `json:"id"`
	Name string   `json:"name"`
}

type listTriggers struct {
	Page    page.Request
	Type    trigger.Type `query:"type"`
	Enabled *bool        `query:"enabled"`
	Traced  *bool        `query:"trace"` // Only triggers that currently keep, or do not keep, their evaluations.
	Table   string       `query:"table"` // Only triggers of the table with this id or name.
	Name    string       `query:"name__contains" ref:"nameContains"`
	Detail  bool         `query:"detail"` // 1 adds the newest log entry of each trigger and the tables that they refer to.
}

// list serves GET /oserve/v3/trigger/.
func (g *Group) list(ctx context.Context, in listTriggers) (list TriggerList, err error) {
	filter := manage.Filter{Type: in.Type, Enabled: in.Enabled, Traced: in.Traced, Table: in.Table, Name: in.Name}
	found, err := g.Triggers.List(ctx, httpapi.Scope(ctx), filter, in.Page)
	if err != nil {
		return list, err
	}
	_, r := httpapi.Exchange(ctx)
	list.Envelope = httpapi.ListOf(ctx, in.Page, found, func(t trigger.Trigger) trigger.View { return g.view(r, t) })
	if !in.Detail {
		return list, nil
	}

	// Reading the newest runs costs one read per trigger, so only detail=1 does it.
	runs, err := g.Triggers.NewestOf(ctx, httpapi.Scope(ctx), found.Objects)
	list.Newest, list.Tables = make([]NewestEntry, len(runs)), tablesOf(found.Objects)
	for i, run := range runs {
		created := httpapi.Seconds(run.CreatedAt.Unix())
		list.Newest[i] = NewestEntry{run.Ref().LogID(), run.Trigger, run.Status, created}
	}
	return list, err
}

// tablesOf returns the tables of the triggers, each once, without deleted tables.
func tablesOf(triggers []trigger.Trigger) []namedTable {
	tables := []namedTable{}
	for _, t := range triggers {
		c, ok := t.Condition.(*trigger.TableCondition)
		if !ok || t.TableName == "" {
			continue
		}
		if shown := (namedTable{t.TableID(c.Table), t.TableName}); !slices.Contains(tables, shown) {
			tables = append(tables, shown)
		}
	}
	return tables
}
