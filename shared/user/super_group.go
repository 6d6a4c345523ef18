package user

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/page"
	"minicloud/shared/retry"
	"minicloud/shared/tenant"
)

// MaxSuperGroups is the maximum number of super groups in an environment.
const MaxSuperGroups = 200

// SuperGroupID is the id of a super group, ordered by time.
type SuperGroupID int64

// SuperGroup is a named set of groups. The groups store the membership: each has at most one parent.
type SuperGroup struct {
	ID     SuperGroupID
	Name   string
	Groups []Group // newest first
	// Tokens are the write tokens of changes with an Idempotency-Key (D8: each happens once).
	Tokens writetoken.List
}

// SuperGroupStore stores super groups. Reads are consistent.
type SuperGroupStore interface {
	// InsertSuperGroup adds a super group and stores the write token in it, as InsertGroup does.
	InsertSuperGroup(ctx context.Context, scope tenant.Scope, g SuperGroup, token string) error
	// SuperGroup returns a super group without its groups. It returns errs.NotFound if there is none.
	SuperGroup(ctx context.Context, scope tenant.Scope, id SuperGroupID) (SuperGroup, error)
	// ListSuperGroups returns all super groups without their groups, newest first.
	ListSuperGroups(ctx context.Context, scope tenant.Scope) ([]SuperGroup, error)
	// ChangeSuperGroup replaces the name and the tokens of old by those of next. It returns errs.NotFound if there is
	// none, and errs.Conflict if the stored ones are not those of old.
	ChangeSuperGroup(ctx context.Context, scope tenant.Scope, old, next SuperGroup) error
	// DeleteSuperGroup deletes a super group. It returns errs.NotFound if there is none. Its groups then have no
	// parent.
	DeleteSuperGroup(ctx context.Context, scope tenant.Scope, id SuperGroupID) error
	// LeaveParent removes the parent of a group, unless the group has another parent by now.
	LeaveParent(ctx context.Context, scope tenant.Scope, group GroupID, parent SuperGroupID) error
}

// ReadText parses the id from a path or a query. It returns errs.NotFound for text that is not an id.
func (i *SuperGroupID) ReadText(text string) (err error) {
	*i, err = parse[SuperGroupID]("user super group", text)
	return err
}

// NoSuperGroup returns the errs.NotFound for a super group that does not exist.
func NoSuperGroup(id SuperGroupID) error { return errs.NotFound("user super group %d not found", id) }

// SuperGroupChange is the change of a super group; a nil field keeps its value.
type SuperGroupChange struct {
	Name     *string
	Children *[]GroupID // replaces its groups
}

// CreateSuperGroup adds a super group with these groups, which leave their previous parents. It returns errs.Invalid,
// which names the error.
func (s *Service) CreateSuperGroup(
	ctx context.Context, scope tenant.Scope, name string, children []GroupID,
) (SuperGroup, error) {
	if err := checkGroupName(name); err != nil {
		return SuperGroup{}, err
	}
	all, err := s.Groups.ListGroups(ctx, scope)
	if err != nil {
		return SuperGroup{}, err
	}
	if err := checkChildren(all, children); err != nil {
		return SuperGroup{}, err
	}

	// The ids come from the write token, so a repeated request gets the same super group.
	ids, now := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	g := SuperGroup{ID: SuperGroupID(ids.New(now)), Name: name}
	if err := s.Groups.InsertSuperGroup(ctx, scope, g, writetoken.Of(ctx, "super-group")); err != nil {
		return SuperGroup{}, err
	}
	if err := s.adopt(ctx, scope, g.ID, all, children); err != nil {
		return SuperGroup{}, err
	}
	return s.SuperGroup(ctx, scope, g.ID)
}

func checkChildren(all []Group, children []GroupID) error {
	if len(children) > MaxGroups {
		return errs.Invalid("children must be at most %d ids of user groups", MaxGroups)
	}
	for _, child := range children {
		if !slices.ContainsFunc(all, func(g Group) bool { return g.ID == child }) {
			return errs.Invalid("children: %s", errs.Message(NoGroup(child)))
		}
	}
	return nil
}

// adopt sets the groups of a super group to children. Each group is a separate write; a repeated call completes the
// rest.
func (s *Service) adopt(
	ctx context.Context, scope tenant.Scope, parent SuperGroupID, all []Group, children []GroupID,
) error {
	var group errgroup.Group
	group.SetLimit(memberWriters)
	for _, g := range all {
		switch wanted := slices.Contains(children, g.ID); {
		case wanted && g.Parent != parent:
			group.Go(func() error {
				err := s.Groups.ChangeGroup(ctx, scope, g.ID, GroupChange{Parent: &parent}, "")
				if errs.Is(err, errs.KindNotFound) { // deleted meanwhile: it has left every super group
					return nil
				}
				return err
			})
		case !wanted && g.Parent == parent:
			group.Go(func() error { return s.Groups.LeaveParent(ctx, scope, g.ID, parent) })
		}
	}
	return group.Wait()
}

// SuperGroup returns a super group with its groups. It returns errs.NotFound if there is none.
func (s *Service) SuperGroup(ctx context.Context, scope tenant.Scope, id SuperGroupID) (SuperGroup, error) {
	g, err := s.Groups.SuperGroup(ctx, scope, id)
	if err != nil {
		return g, err
	}
	all, err := s.Groups.ListGroups(ctx, scope)
	g.Groups = childrenOf(all, id)
	return g, err
}

func childrenOf(all []Group, parent SuperGroupID) (children []Group) {
	for _, g := range all {
		if g.Parent == parent {
			children = append(children, g)
		}
	}
	return children
}

// ListSuperGroups returns a page of super groups with their groups, newest first, and their number.
func (s *Service) ListSuperGroups(
	ctx context.Context, scope tenant.Scope, req page.Request,
) (got page.Page[SuperGroup], err error) {
	all, err := s.Groups.ListSuperGroups(ctx, scope)
	if err != nil {
		return got, err
	}
	got, err = pageOf(all, req, func(g SuperGroup) id.ID { return id.ID(g.ID) })
	if err != nil || len(got.Objects) == 0 {
		return got, err
	}

	groups, err := s.Groups.ListGroups(ctx, scope)
	for i := range got.Objects {
		got.Objects[i].Groups = childrenOf(groups, got.Objects[i].ID)
	}
	return got, err
}

// UpdateSuperGroup changes a super group and returns it.
func (s *Service) UpdateSuperGroup(
	ctx context.Context, scope tenant.Scope, id SuperGroupID, c SuperGroupChange,
) (SuperGroup, error) {
	if c.Name != nil {
		if err := checkGroupName(*c.Name); err != nil {
			return SuperGroup{}, err
		}
	}
	err := retry.Writes.Do(ctx, retry.OnConflict, func(int) error { return s.updateSuperGroup(ctx, scope, id, c) })
	if err != nil {
		return SuperGroup{}, err
	}
	return s.SuperGroup(ctx, scope, id)
}

func (s *Service) updateSuperGroup(ctx context.Context, scope tenant.Scope, id SuperGroupID, c SuperGroupChange) error {
	old, err := s.Groups.SuperGroup(ctx, scope, id)
	if err != nil {
		return err
	}
	token := writetoken.Of(ctx, "super-group-change")
	if old.Tokens.Has(token) { // an earlier try of the request is complete
		return nil
	}

	if c.Children != nil {
		all, err := s.Groups.ListGroups(ctx, scope)
		if err != nil {
			return err
		}
		if err := checkChildren(all, *c.Children); err != nil {
			return err
		}
		if err := s.adopt(ctx, scope, id, all, *c.Children); err != nil {
			return err
		}
	}
	next := old
	next.Tokens = old.Tokens.With(token, s.Clock.Now())
	if c.Name != nil {
		next.Name = *c.Name
	}
	return s.Groups.ChangeSuperGroup(ctx, scope, old, next)
}

// DeleteSuperGroup deletes a super group; its groups remain, without a parent.
func (s *Service) DeleteSuperGroup(ctx context.Context, scope tenant.Scope, id SuperGroupID) error {
	if err := s.Groups.DeleteSuperGroup(ctx, scope, id); err != nil {
		return err
	}
	all, err := s.Groups.ListGroups(ctx, scope)
	if err != nil {
		return err
	}
	return s.adopt(ctx, scope, id, all, nil)
}

// named sets the parents' names. A deleted parent becomes none.
func (s *Service) named(ctx context.Context, scope tenant.Scope, groups []Group) error {
	// Most pages have no parent and need no read of the super groups.
	if !slices.ContainsFunc(groups, func(g Group) bool { return g.Parent != 0 }) {
		return nil
	}
	parents, err := s.Groups.ListSuperGroups(ctx, scope)
	if err != nil {
		return err
	}
	for i := range groups {
		g := &groups[i]
		at := slices.IndexFunc(parents, func(p SuperGroup) bool { return p.ID == g.Parent })
		if at < 0 {
			g.Parent = 0
			continue
		}
		g.ParentName = parents[at].Name
	}
	return nil
}
