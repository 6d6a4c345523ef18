package user

import (
	"context"
	"maps"
	"net/url"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/language/query"
	"minicloud/shared/language/value"
	"minicloud/shared/language/value/update"
	"minicloud/shared/page"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Profile is a user as readers see them (D13): every profile and custom field
// by name. What the platform does not know of a user is "", 0 or false, unionid
// null; a custom field without a value is null.
type Profile map[string]any

// UserGroup is the column that lists the groups a user is in.
const UserGroup = "user_group"

// unsorted are the columns order_by refuses (contract, endpoint 14).
var unsorted = []string{"gender", "country", "province", "city", "language"}

// userIDField is the second name of a profile's id.
const userIDField = "user_id"

// Query selects profiles, as callers write it.
type Query struct {
	Where   string     // D26
	Filters url.Values // D27; parameters that name no field are ignored
	OrderBy string
	Keys    string // the fields to show by comma, or with a minus those not to; "" = all
	Page    page.Request
	Total   bool // count all matches too
	// Opaque is that of the query.Grammar: functions ask.
	Opaque bool
}

// List is one page of profiles and what it took.
type List struct {
	page.Page[Profile]
	Plan    string
	Scanned int
}

// Profiles lists users (endpoint 14), errs.Invalid naming what is wrong with
// the query.
func (s *Service) Profiles(ctx context.Context, scope tenant.Scope, q Query) (List, error) {
	t, err := s.profiles(ctx, scope)
	if err != nil {
		return List{}, err
	}

	// Both parsers run before the read: a wrong query costs no request to DynamoDB.
	find, err := q.compile(t)
	if err != nil {
		return List{}, err
	}

	show, err := parseKeys(t, q.Keys)
	if err != nil {
		return List{}, err
	}

	found, err := s.Tables.Find(ctx, scope, t, find)
	if err != nil {
		return List{}, err
	}

	list := List{Plan: found.Plan, Scanned: found.Scanned}
	list.Total, list.Next = found.Total, found.Next
	for _, row := range found.Objects {
		list.Objects = append(list.Objects, show.of(profile(t, row)))
	}

	return list, nil
}

// CheckWhere returns errs.Invalid for what is no condition on users.
func (s *Service) CheckWhere(ctx context.Context, scope tenant.Scope, where string) error {
	t, err := s.profiles(ctx, scope)
	if err != nil {
		return err
	}
	_, err = Grammar(t).Where(where)
	return err
}

// Reader reads single users; *Service is one.
type Reader interface {
	// Profile returns a user with the named fields, "" for all of them, errs.NotFound when there is none.
	Profile(ctx context.Context, scope tenant.Scope, id ID, keys string) (Profile, error)
}

// Profile returns one user (endpoint 16), errs.NotFound when there is none. keys
// is as in Query.
func (s *Service) Profile(ctx context.Context, scope tenant.Scope, id ID, keys string) (Profile, error) {
	t, err := s.profiles(ctx, scope)
	if err != nil {
		return nil, err
	}
	show, err := parseKeys(t, keys)
	if err != nil {
		return nil, err
	}
	row, err := s.Tables.Read(ctx, scope, t, id.row())
	if err != nil {
		return nil, err
	}
	return show.of(profile(t, row)), nil
}

// Update changes custom fields of one user (endpoint 17) as body says (D28) and
// returns the whole profile. errs.Invalid names the field that is none, is the
// platform's, or has another type; errs.NotFound for an unknown user.
func (s *Service) Update(
	ctx context.Context, scope tenant.Scope, id ID, body []byte, origin table.Origin,
) (Profile, error) {
	return s.update(ctx, scope, id, body, origin, false)
}

// UpdateByFunction is Update of custom fields and of the platform's that functions may write.
func (s *Service) UpdateByFunction(
	ctx context.Context, scope tenant.Scope, id ID, body []byte, origin table.Origin,
) (Profile, error) {
	return s.update(ctx, scope, id, body, origin, true)
}

func (s *Service) update(
	ctx context.Context, scope tenant.Scope, id ID, body []byte, origin table.Origin, byFunction bool,
) (Profile, error) {
	t, err := s.profiles(ctx, scope)
	if err != nil {
		return nil, err
	}
	operations, err := update.Parse(body, readable(t), written(t, byFunction))
	if err != nil {
		return nil, err
	}
	row, err := s.Tables.Update(ctx, scope, t, id.row(), operations, origin)
	if err != nil {
		return nil, err
	}
	return profile(t, row), nil
}

// readable are the columns of a profile as readers see it.
func readable(t table.Table) value.Schema {
	return append(t.Queryable(), value.Column{Name: userIDField, Type: value.Integer})
}

// keys are the fields of a profile to show, or those not to.
type keys struct {
	only, without map[string]bool
}

// parseKeys reads names by comma, a minus hides. The id is always shown.
func parseKeys(t table.Table, text string) (keys, error) {
	k := keys{}
	if text == "" {
		return k, nil
	}

	// A hidden name must exist too: a typing error would otherwise show the field that the caller wanted to hide.
	schema := readable(t)
	for name := range strings.SplitSeq(text, ",") {
		name, hidden := strings.CutPrefix(strings.TrimSpace(name), "-")
		if _, ok := schema.Column(name); !ok {
			return k, errs.Invalid("keys: field %q does not exist", name)
		}

		set := &k.only
		if hidden {
			set = &k.without
		}
		if *set == nil {
			*set = map[string]bool{}
		}

		(*set)[name] = true
	}

	return k, nil
}

// of returns the selected fields of a profile.
func (k keys) of(p Profile) Profile {
	maps.DeleteFunc(p, func(name string, _ any) bool {
		return name != "id" && (k.only != nil && !k.only[name] || k.without[name])
	})
	return p
}

// profile is the row as readers see it.
func profile(t table.Table, row table.Row) Profile {
	p := Profile(t.Record(row))
	for _, c := range t.Columns {
		if _, known := p[c.Name]; !known {
			p[c.Name] = missing(c)
		}
	}
	p[userIDField] = p["id"]
	// Fields that the open API cannot change are not shown either (D13).
	delete(p, "_read_perm")
	delete(p, "_write_perm")
	return p
}

// missing is the default of a value that nobody has set.
func missing(c table.Column) any {
	if !c.BuiltIn || c.Name == "unionid" {
		return nil
	}
	switch c.Type {
	case value.Integer:
		return int64(0)
	case value.Boolean:
		return false
	case value.Array:
		return []any{}
	}
	return ""
}

// Grammar is what a query over a table's rows may name; of users also user_id and
// the groups they are in.
func Grammar(t table.Table) query.Grammar {
	g := t.Grammar()
	if t.ID != table.UserProfiles {
		return g
	}
	g.Unsorted = unsorted
	g.Groups, g.Aliases = UserGroup, map[string]string{userIDField: "id"}
	return g
}

// compile parses the query.
func (q Query) compile(t table.Table) (table.Query, error) {
	g := Grammar(t)
	g.Opaque = q.Opaque
	where, err := g.Where(q.Where)
	if err != nil {
		return table.Query{}, err
	}

	filters, err := g.Filters(q.Filters)
	if err != nil {
		return table.Query{}, err
	}

	order, err := g.OrderBy(q.OrderBy)
	if err != nil {
		return table.Query{}, err
	}

	return table.Query{Where: query.All(where, filters), Order: order, Page: q.Page, Total: q.Total}, nil
}

// New is a user to be created.
type New struct {
	// Profile holds profile and custom fields by name.
	Profile map[string]any
	// Account is how the user logs in; the zero value leaves it empty.
	Account AccountChange
}

// Create adds a user: what signing up in a mini-program, the console and seeds
// do. It returns their id.
//
// Errors are those of ChangeAccount and of a wrong profile field. The profile
// comes first: whoever sees the username can read the profile. If the account
// is refused the profile is taken back.
func (s *Service) Create(ctx context.Context, scope tenant.Scope, n New) (ID, error) {
	t, err := s.profiles(ctx, scope)
	if err != nil {
		return 0, err
	}
	if err := s.check(&n.Account); err != nil {
		return 0, err
	}

	created := s.Tables.Insert(ctx, scope, t, []map[string]any{complete(t, n.Profile)}, table.Author{})[0]
	user := ID(created.Row.ID.Number())
	// A repeated request finds the profile of its first try, and continues with the account.
	if errs.Is(created.Err, errs.KindDuplicate) {
		if created.Err, err = s.madeBefore(ctx, scope, user, created.Err); err != nil {
			return 0, err
		}
	}
	if created.Err != nil {
		return 0, created.Err
	}

	if n.Account == (AccountChange{}) {
		return user, nil
	}

	if _, err := s.ChangeAccount(ctx, scope, user, n.Account); err != nil {
		// The undo is quiet: for triggers, the user never existed.
		if _, undo := s.Tables.Delete(ctx, scope, t, created.Row.ID, table.Origin{Quiet: true}); undo != nil {
			return 0, undo
		}
		return 0, err
	}

	return user, nil
}

// madeBefore returns nil in the place of taken where an earlier try of the request has made the user: their account
// bears a token of it, or is as empty as one that it died over.
func (s *Service) madeBefore(ctx context.Context, scope tenant.Scope, user ID, taken error) (why, err error) {
	if writetoken.FromContext(ctx) == nil {
		return taken, nil
	}
	account, err := s.Accounts.Account(ctx, scope, user)
	if err != nil {
		return nil, err
	}
	row := string(user.row())
	if account.Revision == 0 || account.Tokens.Has(writetoken.Of(ctx, "account", row)) ||
		account.Tokens.Has(writetoken.Of(writetoken.Step(ctx, "made"), "account", row)) {
		return nil, nil
	}
	return taken, nil
}

// complete is the profile with what stands for values nobody has set, so that
// conditions see of a user what readers see.
func complete(t table.Table, given map[string]any) map[string]any {
	profile := maps.Clone(given)
	if profile == nil {
		profile = map[string]any{}
	}
	for _, c := range t.Columns {
		if c.BuiltIn && profile[c.Name] == nil {
			profile[c.Name] = missing(c)
		}
	}
	return profile
}
