package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// groupView is a user group (D45).
type groupView struct {
	ID      user.GroupID `json:"id"`
	Name    string       `json:"name"`
	Members int          `json:"members"`
	Parent  *parentView  `json:"parent,omitempty"`
}

// parentView is the super group that a group is in.
type parentView struct {
	ID   user.SuperGroupID `json:"id"`
	Name string            `json:"name"`
}

func viewGroup(g user.Group) groupView {
	view := groupView{ID: g.ID, Name: g.Name, Members: g.Members}
	if g.Parent != 0 {
		view.Parent = &parentView{g.Parent, g.ParentName}
	}
	return view
}

// groupBody is what creates or changes a group.
type groupBody struct {
	Name   *string         `json:"name"`
	Parent json.RawMessage `json:"parent"` // of a super group; null = none
}

// change reads a body.
func (b groupBody) change() (user.GroupChange, error) {
	c := user.GroupChange{Name: b.Name}
	if b.Parent == nil {
		return c, nil
	}
	c.Parent = new(user.SuperGroupID)
	if string(b.Parent) == "null" {
		return c, nil
	}
	if json.Unmarshal(b.Parent, c.Parent) != nil || *c.Parent <= 0 {
		return c, errs.Invalid("parent must be the id of a user super group, or null")
	}
	return c, nil
}

func (g *Group) listGroups(w http.ResponseWriter, r *http.Request) error {
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}
	parent := user.SuperGroupID(0)
	if text := r.URL.Query().Get("parent_id"); text != "" {
		if parent, err = user.ParseSuperGroupID(text); err != nil {
			return errs.Invalid("parent_id must be the id of a user super group")
		}
	}
	groups, err := g.Users.ListGroups(r.Context(), httpapi.ScopeOf(r), parent, req)
	if err != nil {
		return err
	}
	httpapi.WriteList(w, r, req, groups, viewGroup)
	return nil
}

func (g *Group) createGroup(w http.ResponseWriter, r *http.Request) error {
	var body groupBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	c, err := body.change()
	if err != nil {
		return err
	}
	name, parent := "", user.SuperGroupID(0)
	if c.Name != nil {
		name = *c.Name
	}
	if c.Parent != nil {
		parent = *c.Parent
	}
	group, err := g.Users.CreateGroup(r.Context(), httpapi.ScopeOf(r), name, parent)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusCreated, viewGroup(group))
	return nil
}

func (g *Group) readGroup(w http.ResponseWriter, r *http.Request) error {
	id, err := user.ParseGroupID(r.PathValue("id"))
	if err != nil {
		return err
	}
	group, err := g.Users.Group(r.Context(), httpapi.ScopeOf(r), id)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, viewGroup(group))
	return nil
}

func (g *Group) changeGroup(w http.ResponseWriter, r *http.Request) error {
	id, err := user.ParseGroupID(r.PathValue("id"))
	if err != nil {
		return err
	}
	var body groupBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	c, err := body.change()
	if err != nil {
		return err
	}
	if c == (user.GroupChange{}) { // a body that changes nothing lacks its name
		c.Name = new(string)
	}
	group, err := g.Users.ChangeGroup(r.Context(), httpapi.ScopeOf(r), id, c)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, viewGroup(group))
	return nil
}

func (g *Group) deleteGroup(w http.ResponseWriter, r *http.Request) error {
	id, err := user.ParseGroupID(r.PathValue("id"))
	if err != nil {
		return err
	}
	if err := g.Users.DeleteGroup(r.Context(), httpapi.ScopeOf(r), id); err != nil {
		return err
	}
	httpapi.NoContent(w)
	return nil
}

// maxDeletions is how many groups one request may delete.
const maxDeletions = 100

// deleteGroups serves DELETE /oserve/v1/user-group/?id__in=1,2.
func (g *Group) deleteGroups(w http.ResponseWriter, r *http.Request) error {
	return deleteAll(w, r, user.ParseGroupID, g.Users.DeleteGroup)
}

// deleteAll deletes what id__in names. One that is not there is gone already.
func deleteAll[ID any](
	w http.ResponseWriter, r *http.Request, parse func(string) (ID, error),
	remove func(context.Context, tenant.Scope, ID) error,
) error {
	texts := strings.Split(r.URL.Query().Get("id__in"), ",")
	ids := make([]ID, len(texts))
	for i, text := range texts {
		var err error
		if ids[i], err = parse(strings.TrimSpace(text)); err != nil || len(texts) > maxDeletions {
			return errs.Invalid("id__in must be 1 to %d ids of groups by comma", maxDeletions)
		}
	}
	for _, id := range ids {
		err := remove(r.Context(), httpapi.ScopeOf(r), id)
		if err != nil && !errs.Is(err, errs.KindNotFound) {
			return err
		}
	}
	httpapi.NoContent(w)
	return nil
}

// maxPatches is how many changes one membership request may have.
const maxPatches = 20

// changeMembership serves PATCH /oserve/v1/miniapp/group/membership/, whose
// body has the form of a JSON patch.
func (g *Group) changeMembership(w http.ResponseWriter, r *http.Request) error {
	var body []struct {
		Op     string         `json:"op"`
		Path   string         `json:"path"`
		Users  []user.ID      `json:"users"`
		Groups []user.GroupID `json:"groups"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	if len(body) > maxPatches {
		return errs.Invalid("the request body must be an array of at most %d changes", maxPatches)
	}

	var changes []user.Membership
	for _, change := range body {
		if change.Op != "add" && change.Op != "remove" {
			return errs.Invalid("op must be add or remove")
		}
		if change.Path != "/membership" {
			return errs.Invalid("path must be /membership")
		}
		changes = append(changes, user.Membership{Remove: change.Op == "remove", Users: change.Users, Groups: change.Groups})
	}

	if err := g.Users.ChangeMembership(r.Context(), httpapi.ScopeOf(r), changes); err != nil {
		return err
	}

	httpapi.NoContent(w)

	return nil
}
