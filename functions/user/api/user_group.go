package api

import (
	"context"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// UserGroup is a user group (D45).
type UserGroup struct {
	ID      user.GroupID `json:"id"`
	Name    string       `json:"name"`
	Members int          `json:"members" minimum:"0"` // The number of users in the group.
	Parent  *GroupName   `json:"parent,omitempty"`
}

// GroupName is the id and name of a group or super group.
type GroupName struct {
	ID   httpapi.ID `json:"id"`
	Name string     `json:"name"`
}

func viewGroup(g user.Group) UserGroup {
	view := UserGroup{ID: g.ID, Name: g.Name, Members: g.Members}
	if g.Parent != 0 {
		view.Parent = &GroupName{httpapi.ID(g.Parent), g.ParentName}
	}
	return view
}

// groupChange is the body of a request that creates or changes a group.
type groupChange struct {
	Name   *string                             `json:"name" minLength:"1" maxLength:"64"`
	Parent httpapi.Nullable[user.SuperGroupID] `json:"parent"` // The super group. null removes the group from its super group.
}

// change converts the body into a user.GroupChange.
func (b groupChange) change() (c user.GroupChange, err error) {
	c.Name = b.Name
	if b.Parent.Given {
		c.Parent = new(user.SuperGroupID)
	}
	if id := b.Parent.Value; id != nil {
		if *id <= 0 {
			return c, errs.Invalid("parent must be the id of a user super group, or null")
		}
		*c.Parent = *id
	}
	return c, nil
}

type listGroups struct {
	Page   page.Request
	Parent httpapi.ID `query:"parent_id"` // Only the groups in this super group.
}

func (g *Group) listGroups(ctx context.Context, in listGroups) (answer httpapi.Envelope[UserGroup], err error) {
	groups, err := g.Users.ListGroups(ctx, httpapi.Scope(ctx), user.SuperGroupID(in.Parent), in.Page)
	return httpapi.ListOf(ctx, in.Page, groups, viewGroup), err
}

type newGroup struct {
	Name   string                              `json:"name" minLength:"1" maxLength:"64" required:"true"`
	Parent httpapi.Nullable[user.SuperGroupID] `json:"parent"` // The super group that contains the group.
}

func (g *Group) createGroup(ctx context.Context, in newGroup) (view UserGroup, err error) {
	c, err := groupChange{Parent: in.Parent}.change()
	if err != nil {
		return view, err
	}
	parent := user.SuperGroupID(0)
	if c.Parent != nil {
		parent = *c.Parent
	}
	group, err := g.Users.CreateGroup(ctx, httpapi.Scope(ctx), in.Name, parent)
	return viewGroup(group), err
}

type groupID struct {
	ID user.GroupID `path:"id"`
}

func (g *Group) readGroup(ctx context.Context, in groupID) (UserGroup, error) {
	group, err := g.Users.Group(ctx, httpapi.Scope(ctx), in.ID)
	return viewGroup(group), err
}

type changeGroup struct {
	groupID
	groupChange
}

func (g *Group) changeGroup(ctx context.Context, in changeGroup) (view UserGroup, err error) {
	c, err := in.change()
	if err != nil {
		return view, err
	}
	if c == (user.GroupChange{}) { // an empty body must fail with the error for a missing name
		c.Name = new(string)
	}
	group, err := g.Users.ChangeGroup(ctx, httpapi.Scope(ctx), in.ID, c)
	return viewGroup(group), err
}

func (g *Group) deleteGroup(ctx context.Context, in groupID) (none httpapi.None, err error) {
	return none, g.Users.DeleteGroup(ctx, httpapi.Scope(ctx), in.ID)
}

// maxDeletions is the maximum number of groups that one request deletes.
const maxDeletions = 100

type deleteMany struct {
	// At most 100 ids, separated by commas. Unknown ids are ignored.
	IDs string `query:"id__in" required:"true" pattern:"^[1-9][0-9]{0,14}(,[1-9][0-9]{0,14})*$"`
}

// deleteGroups serves DELETE /oserve/v1/user-group/?id__in=1,2.
func (g *Group) deleteGroups(ctx context.Context, in deleteMany) (none httpapi.None, err error) {
	return none, deleteAll(ctx, in.IDs, g.Users.DeleteGroup)
}

// deleteAll deletes the objects in id__in. It ignores ids that do not exist.
func deleteAll[ID any, P interface {
	*ID
	ReadText(text string) error
}](ctx context.Context, list string, remove func(context.Context, tenant.Scope, ID) error) error {
	texts := strings.Split(list, ",")
	ids := make([]ID, len(texts))
	for i, text := range texts {
		if err := P(&ids[i]).ReadText(strings.TrimSpace(text)); err != nil || len(texts) > maxDeletions {
			return errs.Invalid("id__in must be 1 to %d ids of groups by comma", maxDeletions)
		}
	}
	for _, id := range ids {
		err := remove(ctx, httpapi.Scope(ctx), id)
		if err != nil && !errs.Is(err, errs.KindNotFound) {
			return err
		}
	}
	return nil
}

// maxPatches is the maximum number of changes in one membership request.
const maxPatches = 20

type changeMembership struct {
	Changes []membership `body:"-" maxItems:"20"`
}

type membership struct {
	Op     string         `json:"op" enum:"add,remove" required:"true"`
	Path   string         `json:"path" enum:"/membership" required:"true"`
	Users  []user.ID      `json:"users" maxItems:"1000" required:"true"`
	Groups []user.GroupID `json:"groups" maxItems:"20" required:"true"`
}

// changeMembership serves PATCH /oserve/v1/miniapp/group/membership/, whose body has the form of a JSON patch.
func (g *Group) changeMembership(ctx context.Context, in changeMembership) (none httpapi.None, err error) {
	if len(in.Changes) > maxPatches {
		return none, errs.Invalid("the request body must be an array of at most %d changes", maxPatches)
	}

	var changes []user.Membership
	for _, change := range in.Changes {
		if change.Op != "add" && change.Op != "remove" {
			return none, errs.Invalid("op must be add or remove")
		}
		if change.Path != "/membership" {
			return none, errs.Invalid("path must be /membership")
		}
		changes = append(changes, user.Membership{Remove: change.Op == "remove", Users: change.Users, Groups: change.Groups})
	}
	return none, g.Users.ChangeMembership(ctx, httpapi.Scope(ctx), changes)
}
