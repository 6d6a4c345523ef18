package api

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"minicloud/shared/bulk"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/httpapi/paging"
	"minicloud/shared/page"
	"minicloud/shared/permission"
	"minicloud/shared/table"
)

// clientVersions are the versions of the paths under which end users call the endpoints of rows (client API, 4).
var clientVersions = []string{"v2.0", "v2.2", "v2.4", "v2.5"}

// clientRoutes returns the endpoints of end users: those of the open API, with the caller as the subject of
// permissions.
func (g *Group) clientRoutes() []httpapi.Route {
	const client = httpapi.Client
	routes := []httpapi.Route{
		{Method: http.MethodGet, Path: "/hserve/v1/bulk-operation/{id}", Access: client, Needs: httpapi.LoggedIn, Acts: true,
			Call: httpapi.Call(g.clientOperation)},
	}
	for _, version := range clientVersions {
		tables := "/hserve/" + version + "/table"
		c, rows := clientFace{g, version == "v2.0"}, tables+"/{table}/record"
		row := rows + "/{id}"
		routes = append(routes,
			httpapi.Route{Method: http.MethodGet, Path: tables, Access: client, Call: httpapi.Call(g.clientTables), Acts: true},
			httpapi.Route{Method: http.MethodGet, Path: tables + "/{table}", Access: client, Call: httpapi.Call(g.clientTable), Acts: true})
		for _, r := range []httpapi.Route{
			{Method: http.MethodGet, Path: rows, Call: httpapi.Call(c.list)},
			{Method: http.MethodPost, Path: rows + "/query", Call: httpapi.Query(httpapi.Call(c.list)), Reads: true, Fresh: true},
			{Method: http.MethodPost, Path: rows, Needs: httpapi.LoggedIn, Call: httpapi.Call(g.create), Status: http.StatusCreated},
			{Method: http.MethodPut, Path: rows, Needs: httpapi.LoggedIn, Call: httpapi.Call(c.updateMatching)},
			{Method: http.MethodDelete, Path: rows, Needs: httpapi.LoggedIn, Call: httpapi.Call(c.deleteMatching)},
			{Method: http.MethodGet, Path: row, Call: httpapi.Call(g.read)},
			{Method: http.MethodPut, Path: row, Needs: httpapi.LoggedIn, Call: httpapi.Call(g.update)},
			{Method: http.MethodDelete, Path: row, Needs: httpapi.LoggedIn, Call: httpapi.Call(g.delete)},
		} {
			// Clients send keys and expand on every request, also where they have no effect.
			r.Access, r.Keys, r.Expand, r.Acts = client, true, true, true
			routes = append(routes, r)
		}
	}
	return routes
}

// subject returns the end user who calls, nil for an administrator or a function.
func subject(ctx context.Context) *permission.Subject {
	caller := httpapi.From(ctx)
	if caller.Trusted {
		return nil
	}
	s := caller.Subject()
	return &s
}

// reader returns the end user as the reader of a query, nil for an administrator or a function.
func reader(ctx context.Context) *table.Reader {
	s := subject(ctx)
	if s == nil {
		return nil
	}
	return &table.Reader{Subject: *s, Key: httpapi.From(ctx).Application.CursorKey()}
}

// clientFace adapts lists and bulk writes to the form of end users.
type clientFace struct {
	*Group
	counts bool // a list always has its total
}

func (c clientFace) list(ctx context.Context, in listRows) (httpapi.Envelope[Row], error) {
	in.Total = in.Total || c.counts
	return c.Group.list(ctx, in)
}

// clientSelected is selected for bulk writes of end users: a limit over 1000 counts as none.
type clientSelected struct {
	named
	Limit   int64      `query:"limit" minimum:"1"`
	Offset  int64      `query:"offset" minimum:"0"`
	Cursor  string     `query:"cursor" ref:"cursor"`
	OrderBy string     `query:"order_by" ref:"orderBy"`
	Total   bool       `query:"return_total_count" ref:"returnTotalCount"`
	Filters url.Values `query:"*"`
	source
}

// selected returns the parameters in the form of the open API, without a limit that is too large.
func (c clientFace) selected(in clientSelected) (selected, url.Values, error) {
	if in.Limit > page.MaxLimit {
		in.Filters.Del("limit")
	}
	at, err := paging.Read(in.Filters)
	return selected{named: in.named, Page: at, OrderBy: in.OrderBy, Total: in.Total || c.counts}, in.Filters, err
}

type clientUpdateRows struct {
	clientSelected
	Where string         `query:"where" ref:"whereText"`
	Body  httpapi.Object `body:"Update"`
}

func (c clientFace) updateMatching(ctx context.Context, in clientUpdateRows) (any, error) {
	which, parameters, err := c.selected(in.clientSelected)
	if err != nil {
		return nil, err
	}
	return c.Group.updateMatching(ctx, updateRows{
		selected: which, Where: in.Where, source: in.source, Filters: parameters, Body: in.Body,
	})
}

type clientDeleteRows struct {
	clientSelected
	Where string `query:"where" ref:"neededWhere"`
}

// deleteMatching responds without the outcome of each row.
func (c clientFace) deleteMatching(ctx context.Context, in clientDeleteRows) (any, error) {
	which, parameters, err := c.selected(in.clientSelected)
	if err != nil {
		return nil, err
	}
	done, err := c.Group.deleteMatching(ctx, deleteRows{selected: which, Where: in.Where, source: in.source, Filters: parameters})
	if changed, ok := done.(bulkView); ok {
		return clientDeleted{changed.Succeeded, changed.Total, *changed.placeView}, err
	}
	return done, err
}

type clientDeleted struct {
	Succeeded int  `json:"succeed"`
	Total     *int `json:"total_count,omitempty"`
	placeView
}

// ClientTable is a table as end users see it (C17).
type ClientTable struct {
	ID     httpapi.ID   `json:"id"`
	Name   string       `json:"name"`
	Schema clientSchema `json:"schema"`
}

type clientSchema struct {
	Fields []ClientColumn `json:"fields"` // The columns that clients can read.
}

// ClientColumn is a column of a ClientTable.
type ClientColumn struct {
	Name        string          `json:"name"`
	Type        string          `json:"type" schema:"ColumnType"`
	Constraints constraintsView `json:"constraints"`
	Items       *itemsView      `json:"items,omitempty"` // The type of the items of an array.
	SchemaID    *int64          `json:"schema_id,omitempty"`
	SchemaName  *string         `json:"schema_name,omitempty"` // The target table of a pointer.
}

func viewClientTable(t table.Table) ClientTable {
	fields := []ClientColumn{}
	for _, c := range viewTable(t).Schema.Fields {
		if c.ACL != nil && !c.ACL.ClientVisible {
			continue
		}
		fields = append(fields, ClientColumn{
			Name: c.Name, Type: string(c.Type), Constraints: c.Constraints, Items: c.Items, SchemaID: c.SchemaID,
			SchemaName: c.SchemaName,
		})
	}
	return ClientTable{ID: httpapi.ID(t.ID), Name: t.Name, Schema: clientSchema{slices.Clip(fields)}}
}

type listClientTables struct {
	Page page.Request
	Name string `query:"name"` // Only the table with this name.
}

func (g *Group) clientTables(ctx context.Context, in listClientTables) (answer httpapi.Envelope[ClientTable], err error) {
	got, err := g.Tables.Tables(ctx, httpapi.Scope(ctx), table.TableFilter{Name: in.Name, Own: true}, in.Page)
	return httpapi.ListOf(ctx, in.Page, got, viewClientTable), err
}

func (g *Group) clientTable(ctx context.Context, in named) (v ClientTable, err error) {
	t, err := g.table(ctx, in)
	return viewClientTable(t), err
}

// ClientOperation is a bulk update or deletion in the background that an end user started.
type ClientOperation struct {
	ID         httpapi.ID      `json:"id"`
	SchemaID   httpapi.ID      `json:"schema_id"`
	SchemaName string          `json:"schema_name"` // The name of the table, empty if it has been deleted.
	Operation  string          `json:"operation" enum:"update,delete"`
	Status     string          `json:"status" enum:"pending,success,failed"`
	CreatedAt  httpapi.Seconds `json:"created_at"`
	UpdatedAt  httpapi.Seconds `json:"updated_at"`
	Matched    int             `json:"matched_count" minimum:"0"`            // The number of matching rows.
	Modified   *int            `json:"modified_count,omitempty" minimum:"0"` // The number of rows that an update has changed.
	Deleted    *int            `json:"deleted_count,omitempty" minimum:"0"`  // The number of rows that a deletion has deleted.
}

type readClientOperation struct {
	ID string `path:"id" schema:"ID"`
}

// clientOperation serves GET /hserve/v1/bulk-operation/:id/. An operation that another caller started does not exist.
func (g *Group) clientOperation(ctx context.Context, in readClientOperation) (v ClientOperation, err error) {
	id, err := bulk.ParseID(in.ID)
	if err != nil {
		return v, err
	}
	o, err := g.Bulk.OperationOf(ctx, httpapi.Scope(ctx), id, subject(ctx).User)
	if err != nil {
		return v, err
	}
	t, err := g.Tables.Table(ctx, httpapi.Scope(ctx), o.Table)
	if err != nil && !errs.Is(err, errs.KindNotFound) {
		return v, err
	}

	v = ClientOperation{
		ID: httpapi.ID(o.ID), SchemaID: httpapi.ID(o.Table), SchemaName: t.Name, Operation: "update", Status: clientStatus(o.Status),
		CreatedAt: httpapi.Seconds(o.CreatedAt()), UpdatedAt: httpapi.Seconds(o.UpdatedAt), Matched: o.Matched(), Modified: &o.Succeeded,
	}
	if o.Delete {
		v.Operation, v.Modified, v.Deleted = "delete", nil, &o.Succeeded
	}
	return v, nil
}

// clientStatus returns a status as end users see it. An operation fails only if its table has changed or is gone.
func clientStatus(s bulk.Status) string {
	switch s {
	case bulk.StatusSuccess:
		return "success"
	case bulk.StatusFailed:
		return "failed"
	}
	return "pending"
}
