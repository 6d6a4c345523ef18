package user

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// MaxSuperGroups is how many super groups an environment has at most.
const MaxSuperGroups = 200

// SuperGroupID names a super group; time-ordered.
type SuperGroupID int64

// SuperGroup is a named set of groups. Which they are stands in the groups: each has one parent at most.
type SuperGroup struct {
	ID     SuperGroupID
	Name   string
	Groups []Group // newest first
	// Tokens are those of changes with an Idempotency-Key (D8: each happens once).
	Tokens writetoken.List
}

// SuperGroupStore remembers super groups. Reads see every finished write.
type SuperGroupStore interface {
	// InsertSuperGroup adds one and leaves the write token in it, as InsertGroup does.
	InsertSuperGroup(ctx context.Context, scope tenant.Scope, g SuperGroup, token string) error
	// SuperGroup returns one without its groups, errs.NotFound when there is none.
	SuperGroup(ctx context.Context, scope tenant.Scope, id SuperGroupID) (SuperGroup, error)
	// ListSuperGroups returns all without their groups, newest first.
	ListSuperGroups(ctx context.Context, scope tenant.Scope) ([]SuperGroup, error)
	// ChangeSuperGroup writes name and tokens of next in the place of old's, errs.NotFound when there is none,
	// errs.Conflict when it has other tokens by now.
	ChangeSuperGroup(ctx context.Context, scope tenant.Scope, old, next SuperGroup) error
	// DeleteSuperGroup removes one, errs.NotFound when there is none. Groups that name it have no parent.
	DeleteSuperGroup(ctx context.Context, scope tenant.Scope, id SuperGroupID) error
	// LeaveParent takes its parent from a group, unless it is another one by now.
	LeaveParent(ctx context.Context, scope tenant.Scope, group GroupID, parent SuperGroupID) error
}

// ParseSuperGroupID reads a super group's id from a path; what cannot be one does not exist.
func ParseSuperGroupID(text string) (SuperGroupID, error) {
	return parse[SuperGroupID]("user super group", text)
}

// ReadText reads the id from a path or a query, as ParseSuperGroupID does.
func (i *SuperGroupID) ReadText(text string) (err error) {
	*i, err = ParseSuperGroupID(text)
	return err
}

// NoSuperGroup is the errs.NotFound for a super group that does not exist.
func NoSuperGroup(id SuperGroupID) error { return errs.NotFound("user super group %d not found", id) }

// SuperGroupChange is the change of a super group; a nil field stays as it is.
type SuperGroupChange struct {
	Name     *string
	Children *[]GroupID // replaces its groups
}

// CreateSuperGroup adds a super group of these groups, which leave the one that they were in. errs.Invalid names what
// is wrong.
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

	// The ids come from the write token, so a repeated request names the same super group.
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

// adopt makes the groups of a super group the ones named. Each is a write of its own; doing all again does the rest.
func (s *Service) adopt(
	ctx context.Context, scope tenant.Scope, parent SuperGroupID, all []Group, children []GroupID,
) error {
	var group errgroup.Group
	group.SetLimit(memberWriters)
	for _, g := range all {
		switch wanted := slices.Contains(children, g.ID); {
		case wanted && g.Parent != parent:
			group.Go(func() error { return s.Groups.ChangeGroup(ctx, scope, g.ID, GroupChange{Parent: &parent}, "") })
		case !wanted && g.Parent == parent:
			group.Go(func() error { return s.Groups.LeaveParent(ctx, scope, g.ID, parent) })
		}
	}
	return group.Wait()
}

// SuperGroup returns one with its groups, errs.NotFound when there is none.
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

// ListSuperGroups returns a page of them with their groups, newest first, and their number.
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
	old, err := s.Groups.SuperGroup(ctx, scope, id)
	if err != nil {
		return SuperGroup{}, err
	}
	token := writetoken.Of(ctx, "super-group-change")
	if old.Tokens.Has(token) { // an earlier try of the request has done all of it
		return s.SuperGroup(ctx, scope, id)
	}

	if c.Children != nil {
		all, err := s.Groups.ListGroups(ctx, scope)
		if err != nil {
			return SuperGroup{}, err
		}
		if err := checkChildren(all, *c.Children); err != nil {
			return SuperGroup{}, err
		}
		if err := s.adopt(ctx, scope, id, all, *c.Children); err != nil {
			return SuperGroup{}, err
		}
	}
	next := old
	next.Tokens = old.Tokens.With(token, s.Clock.Now())
	if c.Name != nil {
		next.Name = *c.Name
	}
	if err := s.Groups.ChangeSuperGroup(ctx, scope, old, next); err != nil {
		return SuperGroup{}, err
	}
	return s.SuperGroup(ctx, scope, id)
}

// DeleteSuperGroup removes a super group; its groups stay, without a parent.
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

// named fills in the parents' names. A parent that is gone is none.
func (s *Service) named(ctx context.Context, scope tenant.Scope, groups []Group) error {
	// Most pages have no parent: then the super groups are not read.
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
