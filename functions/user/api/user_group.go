package api

import (
	"net/http"
	"strings"

	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/user"
)

// groupView is a user group (D45).
type groupView struct {
	ID      user.GroupID `json:"id"`
	Name    string       `json:"name"`
	Members int          `json:"members"`
}

func viewGroup(g user.Group) groupView { return groupView(g) }

// groupBody is what creates or renames a group.
type groupBody struct {
	Name string `json:"name"`
}

func (g *Group) listGroups(w http.ResponseWriter, r *http.Request) error {
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}
	groups, err := g.Users.ListGroups(r.Context(), httpapi.ScopeOf(r), req)
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
	group, err := g.Users.CreateGroup(r.Context(), httpapi.ScopeOf(r), body.Name)
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

func (g *Group) renameGroup(w http.ResponseWriter, r *http.Request) error {
	id, err := user.ParseGroupID(r.PathValue("id"))
	if err != nil {
		return err
	}
	var body groupBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	group, err := g.Users.RenameGroup(r.Context(), httpapi.ScopeOf(r), id, body.Name)
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

// deleteGroups serves DELETE /oserve/v1/user-group/?id__in=1,2. One that is not there is gone already.
func (g *Group) deleteGroups(w http.ResponseWriter, r *http.Request) error {
	texts := strings.Split(r.URL.Query().Get("id__in"), ",")
	ids := make([]user.GroupID, len(texts))
	for i, text := range texts {
		var err error
		if ids[i], err = user.ParseGroupID(strings.TrimSpace(text)); err != nil || len(texts) > maxDeletions {
			return errs.Invalid("id__in must be 1 to %d ids of groups by comma", maxDeletions)
		}
	}
	for _, id := range ids {
		err := g.Users.DeleteGroup(r.Context(), httpapi.ScopeOf(r), id)
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
