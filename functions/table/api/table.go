package api

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/table"
	"minicloud/shared/value"
)

// tableView is a table as callers see it (D29).
type tableView struct {
	ID             table.ID   `json:"id"`
	Name           string     `json:"name"`
	Schema         schemaView `json:"schema"`
	WritePerm      []string   `json:"write_perm"`
	DefaultRowPerm permView   `json:"default_row_perm"`
	RowReadPerm    []string   `json:"row_read_perm"` // as default_row_perm
	RowWritePerm   []string   `json:"row_write_perm"`
	CreatedAt      int64      `json:"created_at"`
	UpdatedAt      int64      `json:"updated_at"`
}

type schemaView struct {
	Fields []fieldView `json:"fields"`
}

type permView struct {
	Read  []string `json:"_read_perm"`
	Write []string `json:"_write_perm"`
}

type fieldView struct {
	Name        string          `json:"name"`
	Type        value.Type      `json:"type"`
	Description string          `json:"description"`
	Constraints constraintsView `json:"constraints"`
	Default     any             `json:"default"`
	Items       *itemsView      `json:"items,omitempty"`
	Indexed     bool            `json:"indexed"`
	// SchemaID and SchemaName are the table that a pointer leads into.
	SchemaID   *int64  `json:"schema_id,omitempty"`
	SchemaName *string `json:"schema_name,omitempty"`
	// IndexReady is false while entries of rows from before are being added.
	IndexReady *bool `json:"index_ready,omitempty"`
	BuiltIn    bool  `json:"built_in,omitempty"`
	// ACL is that of the application's own columns.
	ACL *table.ACL `json:"acl,omitempty"`
}

type constraintsView struct {
	Required bool `json:"required"`
}

type itemsView struct {
	Type value.Type `json:"type"`
}

func viewTable(t table.Table) tableView {
	v := tableView{
		ID: t.ID, Name: t.Name, Schema: schemaView{Fields: make([]fieldView, 0, len(t.Columns))},
		WritePerm:      list(t.WritePerm),
		DefaultRowPerm: permView{list(t.DefaultRowPerm.Read), list(t.DefaultRowPerm.Write)},
		RowReadPerm:    list(t.DefaultRowPerm.Read), RowWritePerm: list(t.DefaultRowPerm.Write),
		CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt,
	}
	for _, c := range t.Columns {
		field := fieldView{
			Name: c.Name, Type: c.Type, Description: c.Description, Constraints: constraintsView{c.Required},
			Default: c.Default, Indexed: c.Indexed, BuiltIn: c.BuiltIn,
		}
		if acl := c.Access(); !c.BuiltIn {
			field.ACL = &acl
		}
		if c.Target != "" {
			field.SchemaID, field.SchemaName = &c.TargetID, &c.Target
		}
		if c.Type == value.Array {
			field.Items = &itemsView{c.Items}
		}
		if c.Indexed {
			ready := c.Usable()
			field.IndexReady = &ready
		}

		v.Schema.Fields = append(v.Schema.Fields, field)
	}

	return v
}

func writeTable(w http.ResponseWriter, status int, t table.Table) error {
	httpapi.SetTag(w, tagOf(t))
	httpapi.Write(w, status, viewTable(t))
	return nil
}

// tagOf is the version of a table's definition. What the platform changes by itself, such as an index that is ready, and
// triggers that listen are no other version.
func tagOf(t table.Table) httpapi.Tag {
	view := viewTable(t)
	view.UpdatedAt = 0
	for i := range view.Schema.Fields {
		view.Schema.Fields[i].IndexReady = nil
	}
	return httpapi.TagOf(view)
}

// unchanged lets a write change a table of the version that its If-Match names.
func unchanged(r *http.Request) (table.Guard, error) {
	match, err := httpapi.IfMatch(r)
	return func(t table.Table) error { return match.Allows("table "+strconv.Quote(t.Name), tagOf(t)) }, err
}

// aclDraft is the ACL of a column in a body; what is left out is the default.
type aclDraft struct {
	Visible    *bool `json:"clientVisible"`
	Visibile   *bool `json:"clientVisibile"` // so spelt by clients, too
	ReadOnly   bool  `json:"clientReadOnly"`
	OfCreators bool  `json:"creatorVisible"`
}

// acl returns the ACL, nil where none is given.
func (a *aclDraft) acl(field string) (*table.ACL, error) {
	if a == nil {
		return nil, nil
	}
	visible := cmp.Or(a.Visible, a.Visibile, &table.DefaultACL.ClientVisible)
	if a.Visibile != nil && *a.Visibile != *visible {
		return nil, errs.Invalid("acl of field %q has both clientVisible and clientVisibile, and they differ", field)
	}
	return &table.ACL{ClientVisible: *visible, ClientReadOnly: a.ReadOnly, CreatorVisible: a.OfCreators}, nil
}

// list is never null in JSON.
func list(texts []string) []string { return append([]string{}, texts...) }

// definition reads the body of a create or a change.
func definition(r *http.Request) (table.Definition, error) {
	var body struct {
		Name   *string `json:"name"`
		Schema *struct {
			Fields []struct {
				Name        string          `json:"name"`
				Type        value.Type      `json:"type"`
				Description string          `json:"description"`
				Constraints constraintsView `json:"constraints"`
				Default     json.RawMessage `json:"default"`
				Items       itemsView       `json:"items"`
				Indexed     bool            `json:"indexed"`
				SchemaID    int64           `json:"schema_id"`
				SchemaName  string          `json:"schema_name"`
				ACL         *aclDraft       `json:"acl"`
			} `json:"fields"`
		} `json:"schema"`
		RemoveFields   []string `json:"remove_fields"`
		WritePerm      []string `json:"write_perm"`
		DefaultRowPerm permView `json:"default_row_perm"`
		RowReadPerm    []string `json:"row_read_perm"`
		RowWritePerm   []string `json:"row_write_perm"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return table.Definition{}, err
	}

	d := table.Definition{
		Name: body.Name, Remove: body.RemoveFields, WritePerm: body.WritePerm,
		DefaultRowPerm: table.RowPerm(body.DefaultRowPerm),
		RowPerm:        table.RowPerm{Read: body.RowReadPerm, Write: body.RowWritePerm},
	}
	if body.Schema == nil {
		return d, nil
	}

	for _, f := range body.Schema.Fields {
		c := table.Column{Description: f.Description, Column: value.Column{
			Name: f.Name, Type: f.Type, Items: f.Items.Type, Required: f.Constraints.Required, Indexed: f.Indexed,
			Target: f.SchemaName, TargetID: f.SchemaID,
		}}
		if c.Type == "reference" { // the mini programs' word
			c.Type = value.Pointer
		}
		var err error
		if c.ACL, err = f.ACL.acl(f.Name); err != nil {
			return d, err
		}
		if len(f.Default) > 0 {
			if c.Default, err = value.Decode("default of field "+f.Name, f.Default); err != nil {
				return d, err
			}
		}

		d.Columns = append(d.Columns, c)
	}

	return d, nil
}

// tableOf returns the table that the path names.
func (g *Group) tableOf(r *http.Request) (table.Table, error) {
	return g.Tables.Named(r.Context(), httpapi.ScopeOf(r), r.PathValue("table"))
}

func (g *Group) createTable(w http.ResponseWriter, r *http.Request) error {
	d, err := definition(r)
	if err != nil {
		return err
	}
	t, err := g.Tables.Create(r.Context(), httpapi.ScopeOf(r), d)
	if err != nil {
		return err
	}
	return writeTable(w, http.StatusCreated, t)
}

func (g *Group) listTables(w http.ResponseWriter, r *http.Request) error {
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}
	f := table.TableFilter{Name: r.URL.Query().Get("name"), Part: r.URL.Query().Get("name__contains")}
	got, err := g.Tables.FindTables(r.Context(), httpapi.ScopeOf(r), f, req)
	if err != nil {
		return err
	}
	httpapi.WriteList(w, r, req, got, viewTable)
	return nil
}

func (g *Group) readTable(w http.ResponseWriter, r *http.Request) error {
	t, err := g.Tables.Look(r.Context(), httpapi.ScopeOf(r), r.PathValue("table"))
	if err != nil {
		return err
	}
	return writeTable(w, http.StatusOK, t)
}

func (g *Group) modifyTable(w http.ResponseWriter, r *http.Request) error {
	d, err := definition(r)
	if err != nil {
		return err
	}
	guard, err := unchanged(r)
	if err != nil {
		return err
	}
	t, err := g.Tables.ToModify(r.Context(), httpapi.ScopeOf(r), r.PathValue("table"), d)
	if err != nil {
		return err
	}
	if t, err = g.Tables.ModifyIf(r.Context(), httpapi.ScopeOf(r), t.ID, d, guard); err != nil {
		return err
	}
	return writeTable(w, http.StatusOK, t)
}

func (g *Group) deleteTable(w http.ResponseWriter, r *http.Request) error {
	guard, err := unchanged(r)
	if err != nil {
		return err
	}
	t, err := g.tableOf(r)
	if err != nil {
		return err
	}
	if err := g.Tables.DeleteTableIf(r.Context(), httpapi.ScopeOf(r), t.ID, guard); err != nil {
		return err
	}
	httpapi.NoContent(w)
	return nil
}
