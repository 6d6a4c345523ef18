package user

import (
	"context"
	"slices"
	"strings"

	"minicloud/shared/language/value"
	"minicloud/shared/page"
	"minicloud/shared/permission"
	"minicloud/shared/table"
	"minicloud/shared/table/show"
	"minicloud/shared/tenant"
)

// accountFields are the fields of an own record that are no columns: nobody else sees them.
var accountFields = []string{
	userIDField, "_username", "_email", "_email_verified", "_phone", "_phone_verified", "_anonymous", "_provider",
}

// Info is a user as an end user sees them, by name. A value that is not set is null.
type Info map[string]any

// View selects what answers show of users; its texts are as sent by the caller.
type View struct {
	Reader table.Reader // the end user who asks
	Keys   string       // fields to return, or with a minus fields to omit; "" = all
	Expand string       // pointers to replace by the rows that they lead to
}

// ClientQuery selects users for an end user.
type ClientQuery struct {
	View
	Where, OrderBy string
	Page           page.Request
	Total          bool // also count all matches
}

// ProfileFor returns a user as an end user sees them (client API, 3): oneself with all fields and the account, others
// with id, nickname, avatar and the custom fields that are not creatorVisible. It returns errs.NotFound if there is no
// such user, and errs.Invalid for a bad name in Keys.
func (s *Service) ProfileFor(ctx context.Context, scope tenant.Scope, id ID, v View) (Info, error) {
	t, err := s.ProfileTable(ctx, scope)
	if err != nil {
		return nil, err
	}
	shown, err := v.parse(t)
	if err != nil {
		return nil, err
	}
	row, err := s.Tables.ReadAs(ctx, scope, t, id.Row(), &v.Reader.Subject)
	if err != nil {
		return nil, err
	}
	record, err := show.Service{Tables: s.Tables}.Row(ctx, scope, shown.fields, row)
	if err != nil {
		return nil, err
	}
	return s.shown(ctx, scope, t, shown, record)
}

// ProfilesFor lists users as an end user sees them. It returns errs.Invalid, which names the field, for a condition or
// an order by something that others do not show.
func (s *Service) ProfilesFor(ctx context.Context, scope tenant.Scope, q ClientQuery) (list table.ResultOf[Info], err error) {
	t, err := s.ProfileTable(ctx, scope)
	if err != nil {
		return list, err
	}
	find, err := q.compile(t)
	if err != nil {
		return list, err
	}
	shown, err := q.parse(t)
	if err != nil {
		return list, err
	}

	found, err := show.Service{Tables: s.Tables}.Find(ctx, scope, shown.fields, find)
	if err != nil {
		return list, err
	}
	list.Plan, list.Scanned, list.Total, list.Next = found.Plan, found.Scanned, found.Total, found.Next
	for _, record := range found.Objects {
		profile, err := s.shown(ctx, scope, t, shown, record)
		if err != nil {
			return list, err
		}
		list.Objects = append(list.Objects, profile)
	}
	return list, nil
}

// UpdateOwn applies body (D28) to the record of the end user who asks, and returns it. It returns errs.Invalid, which
// names the field, for one that users cannot write; then nothing is written.
func (s *Service) UpdateOwn(
	ctx context.Context, scope tenant.Scope, who permission.Subject, body []byte, origin table.Origin,
) (Info, error) {
	t, err := s.ProfileTable(ctx, scope)
	if err != nil {
		return nil, err
	}
	operations, err := parseUpdate(t, body, t.ShownTo(&who), func(name string) error {
		if err := written(t, true)(name); err != nil {
			return err
		}
		return t.WritableBy(&who)(name)
	})
	if err != nil {
		return nil, err
	}
	// The row's permissions let no client write it; the columns that may be written were checked above.
	row, err := s.Tables.Update(ctx, scope, t, ID(who.User).Row(), operations, table.Author{Origin: origin})
	if err != nil {
		return nil, err
	}
	account, err := s.Accounts.Account(ctx, scope, ID(who.User))
	if err != nil {
		return nil, err
	}
	return Info(Own(t, row, account)), nil
}

// shown returns the profile of a record, with the account if it is the reader's own: that makes one read.
func (s *Service) shown(
	ctx context.Context, scope tenant.Scope, t table.Table, view shownFields, record show.Record,
) (Info, error) {
	if record["id"] != view.reader {
		show.Unset(t, record)
		return view.trim(Profile(record)), nil
	}
	account, err := s.Accounts.Account(ctx, scope, ID(view.reader))
	if err != nil {
		return nil, err
	}
	return view.trim(withAccount(t, record, account)), nil
}

// shownFields says what an answer shows of each user.
type shownFields struct {
	fields show.Fields
	reader int64
	// only and without are the names that Keys shows and hides; nil = none.
	only, without []string
}

// parse reads Keys, which may also name fields of the account, and Expand.
func (v View) parse(t table.Table) (shownFields, error) {
	f := shownFields{reader: v.Reader.User}
	var columns []string
	for key := range strings.SplitSeq(v.Keys, ",") {
		key = strings.TrimSpace(key)
		name, _, _ := strings.Cut(strings.TrimPrefix(key, "-"), ".")
		if name == "" {
			continue
		}
		if strings.HasPrefix(key, "-") {
			f.without = append(f.without, name)
		} else {
			f.only = append(f.only, name)
		}
		if !slices.Contains(accountFields, name) {
			columns = append(columns, key)
		}
	}
	if f.only != nil && f.without != nil {
		f.only, f.without, columns = nil, nil, nil // mixed signs are ignored
	}
	// Records keep their id, which tells the own one.
	if f.only != nil && len(columns) == 0 {
		columns = []string{"id"}
	}
	fields, err := show.Parse(t, &v.Reader.Subject, strings.Join(columns, ","), v.Expand)
	f.fields = fields
	return f, err
}

// trim returns the fields of a profile that Keys selects, and the id.
func (f shownFields) trim(p Profile) Info {
	for name := range p {
		if name != "id" && (f.only != nil && !slices.Contains(f.only, name) || slices.Contains(f.without, name)) {
			delete(p, name)
		}
	}
	return Info(p)
}

// compile parses the query. Only what others show can be named: a condition on another field would tell its value.
func (q ClientQuery) compile(t table.Table) (table.Query, error) {
	g := Grammar(t)
	g.Groups = ""
	g.Schema = publicFields(t)
	where, err := g.Where(q.Where)
	if err != nil {
		return table.Query{}, err
	}
	order, err := g.OrderBy(q.OrderBy)
	return table.Query{Where: where, Order: order, Page: q.Page, Total: q.Total, Reader: &q.Reader}, err
}

// publicFields returns what others show of a user.
func publicFields(t table.Table) (schema value.Schema) {
	for _, column := range t.Queryable() {
		c, own := t.Column(column.Name)
		if acl := c.Access(); column.Name == "id" || own && acl.ClientVisible && !acl.CreatorVisible {
			schema = append(schema, column)
		}
	}
	return schema
}
