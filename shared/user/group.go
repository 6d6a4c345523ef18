package user

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/bulk"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/language/value/update"
	"minicloud/shared/page"
	"minicloud/shared/retry"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// Limits of groups.
const (
	MaxGroups     = 1000    // in one environment
	MaxGroupName  = 64      // characters
	MaxMembers    = 1000    // users in one change of membership
	MaxMemberOf   = 20      // groups in one change of membership
	MaxMoved      = 40      // users moved in one transaction
	maxMovedBytes = 2 << 20 // total size of their profiles
	memberWriters = 8       // concurrent transactions
)

// GroupID is the id of a group, ordered by time.
type GroupID int64

// Group is a named set of users (D45). Membership is stored in the column user_group of the members' profiles; Members
// is their exact number.
type Group struct {
	ID      GroupID
	Name    string
	Members int
	// Parent is the super group of the group, 0 = none; the service sets ParentName.
	Parent     SuperGroupID
	ParentName string
}

// GroupChange is the change of a group; a nil field keeps its value.
type GroupChange struct {
	Name   *string
	Parent *SuperGroupID // 0 = none
}

// GroupStore stores groups. Reads are consistent.
type GroupStore interface {
	SuperGroupStore
	// InsertGroup adds a group without members and stores the write token in it; if a group with this id and token
	// exists, it does nothing. It returns errs.Invalid if there are already MaxGroups, and errs.Conflict if another
	// group has the id.
	InsertGroup(ctx context.Context, scope tenant.Scope, g Group, token string) error
	// Group returns a group. It returns errs.NotFound if there is none.
	Group(ctx context.Context, scope tenant.Scope, id GroupID) (Group, error)
	// ListGroups returns all groups, newest first.
	ListGroups(ctx context.Context, scope tenant.Scope) ([]Group, error)
	// ChangeGroup changes name or parent. It returns errs.NotFound if there is no such group. A repeated write, whose
	// token is one of the last eight, changes nothing.
	ChangeGroup(ctx context.Context, scope tenant.Scope, id GroupID, c GroupChange, token string) error
	// DeleteGroup deletes the group and stores the operation that will remove it from its members' profiles, in one
	// transaction. It returns errs.NotFound if there is no such group.
	DeleteGroup(ctx context.Context, scope tenant.Scope, id GroupID, cleanup bulk.Operation) error
	// Move replaces up to MaxMoved profiles and updates the member counts of groups, in one transaction. It returns
	// errs.Conflict if a stored profile is not the Old of its change, and errs.NotFound if one of the groups was
	// deleted.
	Move(ctx context.Context, scope tenant.Scope, t table.Table, changes []table.Change, members map[GroupID]int) error
}

// ReadText parses the id from a path or a query. It returns errs.NotFound for text that is not an id.
func (i *GroupID) ReadText(text string) (err error) {
	*i, err = parse[GroupID]("user group", text)
	return err
}

// NoGroup returns the errs.NotFound for a group that does not exist.
func NoGroup(id GroupID) error { return errs.NotFound("user group %d not found", id) }

func checkGroupName(name string) error {
	if n := utf8.RuneCountInString(name); n == 0 || n > MaxGroupName || strings.TrimSpace(name) != name {
		return errs.Invalid("name must have 1 to %d characters and no spaces around them", MaxGroupName)
	}
	return nil
}

// CreateGroup adds an empty group, in a super group unless parent is 0. It returns errs.Invalid for a bad name or
// parent.
func (s *Service) CreateGroup(
	ctx context.Context, scope tenant.Scope, name string, parent SuperGroupID,
) (Group, error) {
	if err := checkGroupName(name); err != nil {
		return Group{}, err
	}
	above, err := s.parent(ctx, scope, parent)
	if err != nil {
		return Group{}, err
	}
	ids, now := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	g := Group{ID: GroupID(ids.New(now)), Name: name, Parent: above.ID, ParentName: above.Name}
	return g, s.Groups.InsertGroup(ctx, scope, g, writetoken.Of(ctx, "group"))
}

// parent returns the super group with this id, the zero SuperGroup for 0. It returns errs.Invalid if there is none.
func (s *Service) parent(ctx context.Context, scope tenant.Scope, id SuperGroupID) (SuperGroup, error) {
	if id == 0 {
		return SuperGroup{}, nil
	}
	g, err := s.Groups.SuperGroup(ctx, scope, id)
	if errs.Is(err, errs.KindNotFound) {
		err = errs.Invalid("parent: %s", errs.Message(err))
	}
	return g, err
}

// Group returns one group. It returns errs.NotFound if there is none.
func (s *Service) Group(ctx context.Context, scope tenant.Scope, id GroupID) (Group, error) {
	g, err := s.Groups.Group(ctx, scope, id)
	if err != nil || g.Parent == 0 {
		return g, err
	}
	above, err := s.Groups.SuperGroup(ctx, scope, g.Parent)
	if errs.Is(err, errs.KindNotFound) {
		err = nil
	}
	g.Parent, g.ParentName = above.ID, above.Name
	return g, err
}

// ListGroups returns a page of the groups, newest first, and their number: of all groups, or of those in a super group.
func (s *Service) ListGroups(
	ctx context.Context, scope tenant.Scope, parent SuperGroupID, req page.Request,
) (got page.Page[Group], err error) {
	all, err := s.Groups.ListGroups(ctx, scope)
	if err != nil {
		return got, err
	}
	if err := s.named(ctx, scope, all); err != nil {
		return got, err
	}
	if parent != 0 {
		all = childrenOf(all, parent)
	}
	return pageOf(all, req, func(g Group) id.ID { return id.ID(g.ID) })
}

// pageOf returns a page of a complete list that is sorted newest first.
func pageOf[T any](all []T, req page.Request, idOf func(T) id.ID) (got page.Page[T], err error) {
	if req.After != "" {
		last, err := req.After.ID()
		if err != nil {
			return got, err
		}
		req.After = page.Cursor(last.Key())
	}
	return page.Of(all, req, nil, func(v T) page.Cursor { return page.Cursor(idOf(v).Key()) }), nil
}

// ChangeGroup changes name or parent and returns the group.
func (s *Service) ChangeGroup(ctx context.Context, scope tenant.Scope, id GroupID, c GroupChange) (Group, error) {
	if c.Name != nil {
		if err := checkGroupName(*c.Name); err != nil {
			return Group{}, err
		}
	}
	// The super group may be deleted before the write below; named then shows the group without a parent.
	if c.Parent != nil {
		if _, err := s.parent(ctx, scope, *c.Parent); err != nil {
			return Group{}, err
		}
	}
	if err := s.Groups.ChangeGroup(ctx, scope, id, c, writetoken.Of(ctx, "rename")); err != nil {
		return Group{}, err
	}
	return s.Group(ctx, scope, id)
}

// DeleteGroup deletes a group. Users can no longer join it, and a background operation removes it from the profiles.
//
// The message is sent first, with a delay: if the process dies, a message without an operation is redelivered without
// effect, while an operation without a message would never run.
func (s *Service) DeleteGroup(ctx context.Context, scope tenant.Scope, id GroupID) error {
	if _, err := s.Groups.Group(ctx, scope, id); err != nil {
		return err
	}

	t, err := s.ProfileTable(ctx, scope)
	if err != nil {
		return err
	}

	member, err := Grammar(t).Term(UserGroup, "$in", []any{int64(id)})
	if err != nil {
		return err
	}

	cleanup, err := s.Bulk.NewOperation(t, member, bulk.Change{Operations: leaving(t, id)}, -1)
	if err != nil {
		return err
	}
	if err := s.Bulk.Queue.Submit(ctx, scope, cleanup.ID, cleanupDelay); err != nil {
		return err
	}

	return s.Groups.DeleteGroup(ctx, scope, id, cleanup)
}

// leaving returns the operations that remove a deleted group from a profile.
func leaving(t table.Table, g GroupID) update.Operations {
	column, _ := t.Column(UserGroup)
	return update.Operations{{Column: column.Column, Kind: update.Remove, Value: []any{int64(g)}}}
}

// cleanupDelay is the delay of the cleanup, so that the deletion of the group is finished by then.
const cleanupDelay = 2 * time.Second

// Membership adds users to groups or removes them.
type Membership struct {
	Remove bool
	Users  []ID
	Groups []GroupID
}

// ChangeMembership makes the changes in order. Each user's change is atomic; if some fail, a repeated call completes
// the rest. It returns errs.Invalid, before any change, if a user or group does not exist.
func (s *Service) ChangeMembership(ctx context.Context, scope tenant.Scope, changes []Membership) error {
	t, err := s.ProfileTable(ctx, scope)
	if err != nil {
		return err
	}

	for _, change := range changes {
		if err := s.checkMembership(ctx, scope, t, change); err != nil {
			return err
		}
	}

	for i, change := range changes {
		// Several changes may move the same user, so each needs its own token.
		err := s.moveAll(writetoken.Step(ctx, strconv.Itoa(i)), scope, t, change)
		if errs.Is(err, errs.KindNotFound) { // deleted after the check
			return errs.Invalid("groups: %s", errs.Message(err))
		}
		if err != nil {
			return err
		}
	}

	return nil
}

func (s *Service) checkMembership(ctx context.Context, scope tenant.Scope, t table.Table, m Membership) error {
	switch {
	case len(m.Users) == 0 || len(m.Users) > MaxMembers:
		return errs.Invalid("users must be an array of 1 to %d user ids", MaxMembers)
	case len(m.Groups) == 0 || len(m.Groups) > MaxMemberOf:
		return errs.Invalid("groups must be an array of 1 to %d group ids", MaxMemberOf)
	}

	// A missing group is an error of the request body here, not a missing resource of the URL.
	for _, g := range m.Groups {
		if _, err := s.Groups.Group(ctx, scope, g); errs.Is(err, errs.KindNotFound) {
			return errs.Invalid("groups: %s", errs.Message(err))
		} else if err != nil {
			return err
		}
	}

	rows, err := s.readUsers(ctx, scope, t, m.Users)
	if err != nil {
		return err
	}

	for _, user := range m.Users {
		if _, ok := rows[user.Row()]; !ok {
			return errs.Invalid("users: user %d not found", user)
		}
	}

	return nil
}

func (s *Service) readUsers(
	ctx context.Context, scope tenant.Scope, t table.Table, users []ID,
) (map[table.RowID]table.Row, error) {
	var rows []table.RowID
	for _, user := range users {
		rows = append(rows, user.Row())
	}
	slices.Sort(rows)
	return s.Tables.Rows.ReadRows(ctx, scope, t, slices.Compact(rows))
}

// moveAll changes several users concurrently and returns the first error.
func (s *Service) moveAll(ctx context.Context, scope tenant.Scope, t table.Table, m Membership) error {
	rows, err := s.readUsers(ctx, scope, t, m.Users)
	if err != nil {
		return err
	}

	// If some fail, the others continue, so that a repeated request has less to do.
	var group errgroup.Group
	group.SetLimit(memberWriters)
	for _, some := range batches(rows) {
		group.Go(func() error { return s.moveSome(ctx, scope, t, some, m) })
	}
	return group.Wait()
}

// batches divides rows into groups that fit in one transaction, which may have at most 100 items and 4 MB.
func batches(rows map[table.RowID]table.Row) (all [][]table.Row) {
	size := 0
	for _, id := range slices.Sorted(maps.Keys(rows)) { // a repeated request has the same transactions
		row := rows[id]
		bytes, last := table.Size(row.Fields), len(all)-1
		if last < 0 || len(all[last]) == MaxMoved || size+bytes > maxMovedBytes {
			all, size, last = append(all, nil), 0, last+1
		}
		all[last], size = append(all[last], row), size+bytes
	}
	return all
}

// moveSome changes users in one transaction. After a conflict with another writer it changes each user separately.
func (s *Service) moveSome(
	ctx context.Context, scope tenant.Scope, t table.Table, rows []table.Row, m Membership,
) error {
	err := s.move(ctx, scope, t, rows, m)
	if !errs.Is(err, errs.KindConflict) {
		return err
	}
	for _, row := range rows {
		if err := s.moveAlone(ctx, scope, t, row.ID, m); err != nil {
			return err
		}
	}
	return nil
}

// moveAlone changes the groups of one user, and again after a conflict with another writer. It does nothing if the user
// was deleted.
func (s *Service) moveAlone(
	ctx context.Context, scope tenant.Scope, t table.Table, user table.RowID, m Membership,
) error {
	return retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		row, err := s.Tables.Read(ctx, scope, t, user)
		if errs.Is(err, errs.KindNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.move(ctx, scope, t, []table.Row{row}, m)
	})
}

// move adds users to groups, or removes them, in one transaction. It returns errs.NotFound if a group was deleted.
func (s *Service) move(ctx context.Context, scope tenant.Scope, t table.Table, rows []table.Row, m Membership) error {
	var changes []table.Change
	members := map[GroupID]int{}
	by := 1
	if m.Remove {
		by = -1
	}
	for _, old := range rows {
		groups, changed := moved(ctx, old, m)
		if len(changed) == 0 {
			continue
		}
		for _, g := range changed {
			members[g] += by
		}

		next := old
		next.Fields = maps.Clone(old.Fields)
		if next.Fields == nil {
			next.Fields = map[string]any{}
		}

		next.Fields[UserGroup] = groups
		next.Revision, next.UpdatedAt, next.Origin = old.Revision+1, s.Clock.Now().Unix(), table.Origin{}
		// If there is no space for the token, a repeated request may undo a change made in between. It has no other
		// effect, because the groups of a user are a set.
		s.Tables.LeaveToken(&next, moveToken(ctx, old))
		changes = append(changes, table.Change{Old: &old, New: &next})
	}

	// An earlier try of the request, or another request, has moved all users.
	if len(changes) == 0 {
		return nil
	}
	return s.Groups.Move(ctx, scope, t, changes, members)
}

// moveToken returns the write token of a request for the move of a user, "" without an Idempotency-Key.
func moveToken(ctx context.Context, row table.Row) string {
	return writetoken.Of(ctx, "move", string(row.ID))
}

// moved returns the user's groups after the change, and the groups that changed: none if an earlier try of the request
// has moved the user.
func moved(ctx context.Context, row table.Row, m Membership) (groups []any, changed []GroupID) {
	if row.HasToken(moveToken(ctx, row)) {
		return nil, nil
	}
	groups, _ = row.Fields[UserGroup].([]any)
	// Clone the slice: slices.Delete and append would modify the slice of the row, which must stay unchanged.
	groups = slices.Clone(groups)
	for _, g := range slices.Compact(slices.Sorted(slices.Values(m.Groups))) {
		at := slices.Index(groups, any(int64(g)))
		switch {
		case m.Remove && at >= 0:
			groups, changed = slices.Delete(groups, at, at+1), append(changed, g)
		case !m.Remove && at < 0:
			groups, changed = append(groups, int64(g)), append(changed, g)
		}
	}
	return groups, changed
}
