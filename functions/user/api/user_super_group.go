package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/user"
)

// superGroupView is a super group with how many groups it has, and which.
type superGroupView struct {
	ID       user.SuperGroupID `json:"id"`
	Name     string            `json:"name"`
	Children int               `json:"children"`
	Groups   []memberView      `json:"user_group"`
}

// memberView is a group of a super group.
type memberView struct {
	ID   user.GroupID `json:"id"`
	Name string       `json:"name"`
}

func viewSuperGroup(g user.SuperGroup) superGroupView {
	view := superGroupView{ID: g.ID, Name: g.Name, Children: len(g.Groups), Groups: make([]memberView, len(g.Groups))}
	for i, child := range g.Groups {
		view.Groups[i] = memberView{child.ID, child.Name}
	}
	return view
}

// superGroupBody is what creates or changes a super group.
type superGroupBody struct {
	Name     *string         `json:"name"`
	Children *[]user.GroupID `json:"children"`
}

// listSuperGroups serves GET /oserve/v1/user-supergroup/.
func (g *Group) listSuperGroups(w http.ResponseWriter, r *http.Request) error {
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}
	found, err := g.Users.ListSuperGroups(r.Context(), httpapi.ScopeOf(r), req)
	if err != nil {
		return err
	}
	httpapi.WriteList(w, r, req, found, viewSuperGroup)
	return nil
}

func (g *Group) createSuperGroup(w http.ResponseWriter, r *http.Request) error {
	var body superGroupBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	name, children := "", []user.GroupID(nil)
	if body.Name != nil {
		name = *body.Name
	}
	if body.Children != nil {
		children = *body.Children
	}
	made, err := g.Users.CreateSuperGroup(r.Context(), httpapi.ScopeOf(r), name, children)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusCreated, viewSuperGroup(made))
	return nil
}

func (g *Group) readSuperGroup(w http.ResponseWriter, r *http.Request) error {
	id, err := user.ParseSuperGroupID(r.PathValue("id"))
	if err != nil {
		return err
	}
	found, err := g.Users.SuperGroup(r.Context(), httpapi.ScopeOf(r), id)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, viewSuperGroup(found))
	return nil
}

// changeSuperGroup serves PUT /oserve/v1/user-supergroup/:id/. Children that are given replace those there are.
func (g *Group) changeSuperGroup(w http.ResponseWriter, r *http.Request) error {
	id, err := user.ParseSuperGroupID(r.PathValue("id"))
	if err != nil {
		return err
	}
	var body superGroupBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	changed, err := g.Users.UpdateSuperGroup(r.Context(), httpapi.ScopeOf(r), id, user.SuperGroupChange(body))
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, viewSuperGroup(changed))
	return nil
}

func (g *Group) deleteSuperGroup(w http.ResponseWriter, r *http.Request) error {
	id, err := user.ParseSuperGroupID(r.PathValue("id"))
	if err != nil {
		return err
	}
	if err := g.Users.DeleteSuperGroup(r.Context(), httpapi.ScopeOf(r), id); err != nil {
		return err
	}
	httpapi.NoContent(w)
	return nil
}

// deleteSuperGroups serves DELETE /oserve/v1/user-supergroup/?id__in=1,2.
func (g *Group) deleteSuperGroups(w http.ResponseWriter, r *http.Request) error {
	return deleteAll(w, r, user.ParseSuperGroupID, g.Users.DeleteSuperGroup)
}
