package api

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/httpapi/etag"
	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/table"
)

// Table is a table as callers see it (D29).
type Table struct {
	ID             httpapi.ID      `json:"id"`
	Name           string          `json:"name"`
	Schema         schema          `json:"schema"`
	WritePerm      []string        `json:"write_perm" schema:"Permissions"`
	DefaultRowPerm rowPermissions  `json:"default_row_perm" schema:"RowPermissions"`
	RowReadPerm    []string        `json:"row_read_perm" schema:"Permissions"` // A synonym of default_row_perm.
	RowWritePerm   []string        `json:"row_write_perm" schema:"Permissions"`
	CreatedAt      httpapi.Seconds `json:"created_at"`
	UpdatedAt      httpapi.Seconds `json:"updated_at"`
	Shards         int             `json:"shards,omitempty"` // The number of partitions of new rows, if there are several.
}

type schema struct {
	Fields []Column `json:"fields"`
}

type rowPermissions struct {
	Read  []string `json:"_read_perm"`
	Write []string `json:"_write_perm"`
}

// Column is a column of a Table.
type Column struct {
	Name        string          `json:"name"`
	Type        value.Type      `json:"type" schema:"ColumnType"`
	Description string          `json:"description"`
	Constraints constraintsView `json:"constraints"`
	Default     any             `json:"default"`         // The default value for new rows. null for no default.
	Items       *itemsView      `json:"items,omitempty"` // The type of the items of an array.
	Indexed     bool            `json:"indexed"`
	SchemaID    *int64          `json:"schema_id,omitempty"`
	SchemaName  *string         `json:"schema_name,omitempty"` // The target table of a pointer.
	IndexReady  *bool           `json:"index_ready,omitempty"` // Whether the index is complete. False while existing rows are added.
	BuiltIn     bool            `json:"built_in,omitempty"`    // Whether the column belongs to the platform.
	ACL         *table.ACL      `json:"acl,omitempty" schema:"ColumnAccess"`
}

type constraintsView struct {
	Required bool `json:"required"`
}

type itemsView struct {
	Type value.Type `json:"type" schema:"ColumnType" required:"true"`
}

func viewTable(t table.Table) Table {
	v := Table{
		ID: httpapi.ID(t.ID), Name: t.Name, Schema: schema{Fields: make([]Column, 0, len(t.Columns))},
		WritePerm:      list(t.WritePerm),
		DefaultRowPerm: rowPermissions{list(t.DefaultRowPerm.Read), list(t.DefaultRowPerm.Write)},
		RowReadPerm:    list(t.DefaultRowPerm.Read), RowWritePerm: list(t.DefaultRowPerm.Write),
		CreatedAt: httpapi.Seconds(t.CreatedAt), UpdatedAt: httpapi.Seconds(t.UpdatedAt),
	}
	if shards := t.Epochs.Now(); shards > 1 {
		v.Shards = shards
	}
	for _, c := range t.Columns {
		field := Column{
			Name: c.Name, Type: c.Type, Description: c.Description, Constraints: constraintsView{c.Required},
			Default: c.Default, Indexed: c.Indexed, BuiltIn: c.BuiltIn,
		}
		acl := c.Access()
		field.ACL = &acl
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

// tagged returns a table and sets the ETag of the response to its version.
func tagged(ctx context.Context, t table.Table, err error) (v Table, _ error) {
	if err != nil {
		return v, err
	}
	w, _ := httpapi.Exchange(ctx)
	etag.Set(w, tagOf(t))
	return viewTable(t), nil
}

// tagOf returns the ETag of a table's definition. Changes by the platform itself, such as a completed index, and new
// triggers do not change it.
func tagOf(t table.Table) etag.Tag {
	view := viewTable(t)
	view.UpdatedAt = 0
	for i := range view.Schema.Fields {
		view.Schema.Fields[i].IndexReady = nil
	}
	return etag.Of(view)
}

// named holds the path parameter of a table.
type named struct {
	Table string `path:"table" minLength:"1" maxLength:"64" example:"books"` // The id or the name of the table.
}

// guarded is a write that If-Match can limit to one version of a table.
type guarded struct {
	named
	Match etag.Match
}

// guard returns an error unless t has the version that If-Match names.
func (g guarded) guard(t table.Table) error {
	return g.Match.Allows("table "+strconv.Quote(t.Name), tagOf(t))
}

// aclDraft is the ACL of a column in a request body; omitted members have their defaults.
type aclDraft struct {
	Visible    *bool `json:"clientVisible"`
	Visibile   *bool `json:"clientVisibile"` // a spelling that some clients use
	ReadOnly   bool  `json:"clientReadOnly"`
	OfCreators bool  `json:"creatorVisible"`
}

// acl returns the ACL, nil if the request has none.
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

// list returns a copy that is never nil, so that JSON has [] instead of null.
func list(texts []string) []string { return append([]string{}, texts...) }

// definition is the body of a request that creates or changes a table.
type definition struct {
	Name   *string `json:"name" schema:"TableName"`
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
	} `json:"schema" schema:"TableSchemaDraft"`
	RemoveFields   []string       `json:"remove_fields"`
	WritePerm      []string       `json:"write_perm" schema:"Permissions"`
	DefaultRowPerm rowPermissions `json:"default_row_perm" schema:"RowPermissions"`
	RowReadPerm    []string       `json:"row_read_perm" schema:"Permissions"`
	RowWritePerm   []string       `json:"row_write_perm" schema:"Permissions"`
	Shards         *int           `json:"shards" minimum:"1" maximum:"16"` // Partitions of rows that are created 20 minutes from now.
}

// read converts the body into a table.Definition.
func (body definition) read() (table.Definition, error) {
	d := table.Definition{
		Name: body.Name, Remove: body.RemoveFields, WritePerm: body.WritePerm,
		DefaultRowPerm: table.RowPerm(body.DefaultRowPerm),
		RowPerm:        table.RowPerm{Read: body.RowReadPerm, Write: body.RowWritePerm}, Shards: body.Shards,
	}
	if body.Schema == nil {
		return d, nil
	}

	for _, f := range body.Schema.Fields {
		c := table.Column{Description: f.Description, Column: value.Column{
			Name: f.Name, Type: f.Type, Items: f.Items.Type, Required: f.Constraints.Required, Indexed: f.Indexed,
			Target: f.SchemaName, TargetID: f.SchemaID,
		}}
		if c.Type == "reference" { // the term of mini programs
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

// table returns the table that a path names. End users have other endpoints for users: for them _userprofile is no
// table.
func (g *Group) table(ctx context.Context, in named) (table.Table, error) {
	t, err := g.Tables.Named(ctx, httpapi.Scope(ctx), in.Table)
	if err == nil && subject(ctx) != nil && t.Open() != nil {
		return table.Table{}, errs.NotFound("table %q not found", in.Table)
	}
	return t, err
}

type newTable struct {
	definition `required:"name"`
}

func (g *Group) createTable(ctx context.Context, in newTable) (v Table, err error) {
	d, err := in.read()
	if err != nil {
		return v, err
	}
	t, err := g.Tables.Create(ctx, httpapi.Scope(ctx), d)
	return tagged(ctx, t, err)
}

type listTables struct {
	Page page.Request
	Name string `query:"name"` // Only the table with this name.
	Part string `query:"name__contains" ref:"nameContains"`
}

func (g *Group) listTables(ctx context.Context, in listTables) (answer httpapi.Envelope[Table], err error) {
	got, err := g.Tables.Tables(ctx, httpapi.Scope(ctx), table.TableFilter{Name: in.Name, Part: in.Part}, in.Page)
	return httpapi.ListOf(ctx, in.Page, got, viewTable), err
}

func (g *Group) readTable(ctx context.Context, in named) (Table, error) {
	t, err := g.Tables.Look(ctx, httpapi.Scope(ctx), in.Table)
	return tagged(ctx, t, err)
}

type modifyTable struct {
	guarded
	definition
}

func (g *Group) modifyTable(ctx context.Context, in modifyTable) (v Table, err error) {
	d, err := in.read()
	if err != nil {
		return v, err
	}
	t, err := g.Tables.ToModify(ctx, httpapi.Scope(ctx), in.Table, d)
	if err != nil {
		return v, err
	}
	t, err = g.Tables.Modify(ctx, httpapi.Scope(ctx), t.ID, d, in.guard)
	return tagged(ctx, t, err)
}

func (g *Group) deleteTable(ctx context.Context, in guarded) (none httpapi.None, err error) {
	t, err := g.table(ctx, in.named)
	if err != nil {
		return none, err
	}
	return none, g.Tables.DeleteTable(ctx, httpapi.Scope(ctx), t.ID, in.guard)
}
