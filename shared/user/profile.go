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
	"minicloud/shared/user/identifier"
)

// Profile is a user in responses (D13): every built-in and custom field by name. A missing built-in value is "", 0 or
// false, but unionid is null; a missing custom field is null.
type Profile map[string]any

// UserGroup is the column with the ids of a user's groups.
const UserGroup = "user_group"

// unsorted are the columns that order_by refuses (contract, endpoint 14).
var unsorted = []string{"gender", "country", "province", "city", "language"}

// userIDField is the alias of a profile's id.
const userIDField = "user_id"

// Query selects profiles; its texts are as sent by the caller.
type Query struct {
	Where   string     // D26
	Filters url.Values // D27; parameters that name no field are ignored
	Login   string     // a username, email or phone of the users; "" = any
	OrderBy string
	Keys    string // fields to return, separated by commas, or with a minus fields to omit; "" = all
	Page    page.Request
	Total   bool // also count all matches
	// Opaque is query.Grammar.Opaque; it is set for functions.
	Opaque bool
}

// List is one page of profiles.
type List = table.ResultOf[Profile]

// Profiles lists users (endpoint 14). It returns errs.Invalid, which names the error in the query.
func (s *Service) Profiles(ctx context.Context, scope tenant.Scope, q Query) (List, error) {
	t, err := s.ProfileTable(ctx, scope)
	if err != nil {
		return List{}, err
	}

	// Parse everything before the read, so that an invalid query costs no request to DynamoDB.
	find, err := q.compile(t)
	if err != nil {
		return List{}, err
	}

	show, err := parseKeys(t, q.Keys)
	if err != nil {
		return List{}, err
	}

	if q.Login != "" {
		is, err := s.loginIs(ctx, scope, t, q.Login)
		if err != nil {
			return List{}, err
		}
		find.Where = query.All(find.Where, is)
	}

	found, err := s.Tables.Find(ctx, scope, t, find)
	if err != nil {
		return List{}, err
	}

	view := func(row table.Row) Profile { return show.of(profile(t, row)) }
	return List{Page: page.View(found.Page, view), Plan: found.Plan, Scanned: found.Scanned}, nil
}

// loginIs returns the condition that selects the users whose username, email or phone is login. It makes one read for
// each.
func (s *Service) loginIs(ctx context.Context, scope tenant.Scope, t table.Table, login string) (query.Predicate, error) {
	phone, _ := s.PhoneOf(login) // has no key if login is no phone
	ids := []any{}
	for _, name := range identifier.OfLogin(login, phone.Key) {
		owner, err := s.Accounts.Owner(ctx, scope, name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, int64(owner)) // 0 is no user
	}
	return Grammar(t).Term("id", query.OpIn, ids)
}

// CheckWhere returns errs.Invalid if where is not a valid condition on users.
func (s *Service) CheckWhere(ctx context.Context, scope tenant.Scope, where string) error {
	t, err := s.ProfileTable(ctx, scope)
	if err != nil {
		return err
	}
	_, err = Grammar(t).Where(where)
	return err
}

// Reader reads single users; *Service implements it.
type Reader interface {
	// Profile returns a user with the named fields, "" for all. It returns errs.NotFound if there is none.
	Profile(ctx context.Context, scope tenant.Scope, id ID, keys string) (Profile, error)
}

// Profile returns one user (endpoint 16). keys is as in Query. It returns errs.NotFound if there is none.
func (s *Service) Profile(ctx context.Context, scope tenant.Scope, id ID, keys string) (Profile, error) {
	t, err := s.ProfileTable(ctx, scope)
	if err != nil {
		return nil, err
	}
	show, err := parseKeys(t, keys)
	if err != nil {
		return nil, err
	}
	row, err := s.Tables.Read(ctx, scope, t, id.Row())
	if err != nil {
		return nil, err
	}
	return show.of(profile(t, row)), nil
}

// Update applies body (D28) to the custom fields of one user (endpoint 17) and returns the whole profile. It returns
// errs.Invalid, which names the field, for an unknown or built-in field or a value of the wrong type, and errs.NotFound
// for an unknown user. Functions may also write the editable built-in columns.
func (s *Service) Update(
	ctx context.Context, scope tenant.Scope, id ID, body []byte, origin table.Origin, byFunction bool,
) (Profile, error) {
	t, err := s.ProfileTable(ctx, scope)
	if err != nil {
		return nil, err
	}
	operations, err := parseUpdate(t, body, readable(t), written(t, byFunction))
	if err != nil {
		return nil, err
	}
	row, err := s.Tables.Update(ctx, scope, t, id.Row(), operations, table.Author{Origin: origin})
	return profile(t, row), err
}

// parseUpdate parses the body of an update. A built-in value that it removes becomes its default, as in complete.
func parseUpdate(t table.Table, body []byte, schema value.Schema, writable update.Writable) (update.Operations, error) {
	operations, err := update.Parse(body, schema, writable)
	for i, o := range operations {
		if c, _ := t.Column(o.Column.Name); o.Kind == update.Unset && missing(c) != nil {
			operations[i].Kind, operations[i].Value = update.Set, missing(c)
		}
	}
	return operations, err
}

// readable returns the columns of a profile in responses.
func readable(t table.Table) value.Schema {
	return append(t.Queryable(), value.Column{Name: userIDField, Type: value.Integer})
}

// keys are the fields of a profile to return, or those to omit.
type keys struct {
	only, without map[string]bool
}

// parseKeys parses names separated by commas; a minus omits a field. The id is always returned.
func parseKeys(t table.Table, text string) (keys, error) {
	k := keys{}
	if text == "" {
		return k, nil
	}

	// An omitted name must exist too: after a typo, the response would contain the field that should be omitted.
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

// profile returns the profile of a row.
func profile(t table.Table, row table.Row) Profile {
	p := Profile(t.Record(row))
	for _, c := range t.Columns {
		if _, known := p[c.Name]; !known {
			p[c.Name] = missing(c)
		}
	}
	p[userIDField] = p["id"]
	// Fields that the open API cannot change are not returned either (D13).
	delete(p, "_read_perm")
	delete(p, "_write_perm")
	return p
}

// missing returns the default of a column without a value.
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

// Grammar returns the grammar of queries over a table's rows; for users it includes user_id and group memberships.
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
	return table.Query{Where: query.All(where, filters), Order: order, Page: q.Page, Total: q.Total}, err
}

// New is a user to create.
type New struct {
	// Profile has built-in and custom fields by name.
	Profile map[string]any
	// Account is the login information; the zero value leaves it empty.
	Account AccountChange
}

// Create adds a user, for sign-ups in a mini program, the console and seeds, and returns the id.
//
// Errors are those of ChangeAccount, and errs.Invalid for a bad profile field. The profile is written first, so that
// every reader of the username can read the profile. If the account is refused, the profile is deleted again.
func (s *Service) Create(ctx context.Context, scope tenant.Scope, n New) (ID, error) {
	t, err := s.ProfileTable(ctx, scope)
	if err != nil {
		return 0, err
	}
	if err := s.check(&n.Account); err != nil {
		return 0, err
	}

	created := s.Tables.Insert(ctx, scope, t, []map[string]any{complete(t, n.Profile)}, table.Author{})[0]
	user := ID(created.Row.ID.Number())
	// A repeated request finds the profile of its first try and continues with the account.
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
		// Delete quietly: for triggers, the user never existed.
		if _, undo := s.Tables.Delete(ctx, scope, t, created.Row.ID, table.Author{Origin: table.Origin{Quiet: true}}); undo != nil {
			return 0, undo
		}
		return 0, err
	}

	return user, nil
}

// madeBefore returns nil instead of taken if an earlier try of the request created the user: the account then has a
// token of the request, or is still empty because that try died.
func (s *Service) madeBefore(ctx context.Context, scope tenant.Scope, user ID, taken error) (why, err error) {
	if writetoken.FromContext(ctx) == nil {
		return taken, nil
	}
	account, err := s.Accounts.Account(ctx, scope, user)
	if err != nil {
		return nil, err
	}
	row := string(user.Row())
	if account.Revision == 0 || account.Tokens.Has(writetoken.Of(ctx, "account", row)) ||
		account.Tokens.Has(writetoken.Of(writetoken.Step(ctx, "made"), "account", row)) {
		return nil, nil
	}
	return taken, nil
}

// complete returns the profile with defaults for missing values, so that conditions match what responses contain.
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
