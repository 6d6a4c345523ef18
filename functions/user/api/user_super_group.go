package api

import (
	"context"

	"minicloud/shared/httpapi"
	"minicloud/shared/page"
	"minicloud/shared/user"
)

// SuperGroup is a super group with its groups and their number.
type SuperGroup struct {
	ID       user.SuperGroupID `json:"id"`
	Name     string            `json:"name"`
	Children int               `json:"children" minimum:"0"` // The number of groups in the super group.
	Groups   []GroupName       `json:"user_group"`
}

func viewSuperGroup(g user.SuperGroup) SuperGroup {
	view := SuperGroup{ID: g.ID, Name: g.Name, Children: len(g.Groups), Groups: make([]GroupName, len(g.Groups))}
	for i, child := range g.Groups {
		view.Groups[i] = GroupName{httpapi.ID(child.ID), child.Name}
	}
	return view
}

type onePage struct{ Page page.Request }

func (g *Group) listSuperGroups(ctx context.Context, in onePage) (answer httpapi.Envelope[SuperGroup], err error) {
	found, err := g.Users.ListSuperGroups(ctx, httpapi.Scope(ctx), in.Page)
	return httpapi.ListOf(ctx, in.Page, found, viewSuperGroup), err
}

type newSuperGroup struct {
	Name     string         `json:"name" minLength:"1" maxLength:"64" required:"true"`
	Children []user.GroupID `json:"children" maxItems:"1000"` // The groups to include. They leave their previous super group.
}

func (g *Group) createSuperGroup(ctx context.Context, in newSuperGroup) (SuperGroup, error) {
	made, err := g.Users.CreateSuperGroup(ctx, httpapi.Scope(ctx), in.Name, in.Children)
	return viewSuperGroup(made), err
}

type superGroupID struct {
	ID user.SuperGroupID `path:"id"`
}

func (g *Group) readSuperGroup(ctx context.Context, in superGroupID) (SuperGroup, error) {
	found, err := g.Users.SuperGroup(ctx, httpapi.Scope(ctx), in.ID)
	return viewSuperGroup(found), err
}

type superGroupChange struct {
	superGroupID
	Name     *string         `json:"name" minLength:"1" maxLength:"64"`
	Children *[]user.GroupID `json:"children" maxItems:"1000"`
}

// changeSuperGroup serves PUT /oserve/v1/user-supergroup/:id/. Given children replace the stored ones.
func (g *Group) changeSuperGroup(ctx context.Context, in superGroupChange) (SuperGroup, error) {
	changed, err := g.Users.UpdateSuperGroup(
		ctx, httpapi.Scope(ctx), in.ID, user.SuperGroupChange{Name: in.Name, Children: in.Children},
	)
	return viewSuperGroup(changed), err
}

func (g *Group) deleteSuperGroup(ctx context.Context, in superGroupID) (none httpapi.None, err error) {
	return none, g.Users.DeleteSuperGroup(ctx, httpapi.Scope(ctx), in.ID)
}

// deleteSuperGroups serves DELETE /oserve/v1/user-supergroup/?id__in=1,2.
func (g *Group) deleteSuperGroups(ctx context.Context, in deleteMany) (none httpapi.None, err error) {
	return none, deleteAll(ctx, in.IDs, g.Users.DeleteSuperGroup)
}
