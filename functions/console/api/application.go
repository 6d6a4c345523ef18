package api

import (
	"cmp"
	"net/http"
	"slices"

	"minicloud/shared/app"
	"minicloud/shared/console"
	"minicloud/shared/httpapi"
	"minicloud/shared/tenant"
)

type applicationView struct {
	ID           tenant.AppID      `json:"id"`
	Name         string            `json:"name"`
	ClientID     app.ClientID      `json:"client_id"`
	Environments []environmentView `json:"environments"` // production first
	CreatedAt    int64             `json:"created_at"`
	// ClientSecret is shown once, when it is made.
	ClientSecret string `json:"client_secret,omitempty"`
}

type environmentView struct {
	ID   tenant.EnvID `json:"id"`
	Name string       `json:"name"`
}

func showApplication(a app.Application) applicationView {
	var tests []environmentView
	for id, name := range a.Environments {
		tests = append(tests, environmentView{id, name})
	}
	slices.SortFunc(tests, func(a, b environmentView) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return applicationView{
		ID: a.ID, Name: a.Name, ClientID: a.ClientID, CreatedAt: a.CreatedAt.Unix(),
		Environments: append([]environmentView{{tenant.Production, string(tenant.Production)}}, tests...),
	}
}

// entered returns the applications that somebody has access to.
func (g *Group) entered(r *http.Request, who console.Administrator) ([]applicationView, error) {
	all, err := g.Applications.All(r.Context())
	if err != nil {
		return nil, err
	}
	views := []applicationView{}
	for _, a := range all {
		if who.Enters(a.ID) {
			views = append(views, showApplication(a))
		}
	}
	return views, nil
}

// listApplications serves GET /console/api/application/.
func (g *Group) listApplications(w http.ResponseWriter, r *http.Request) error {
	views, err := g.entered(r, administrator(r))
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, listOf[applicationView]{views})
	return nil
}

type nameBody struct {
	Name string `json:"name"`
}

// createApplication serves POST /console/api/application/. An application belongs to who makes it (D14).
func (g *Group) createApplication(w http.ResponseWriter, r *http.Request) error {
	who := administrator(r)
	if err := who.Everywhere(); err != nil {
		return err
	}
	var body nameBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}

	httpapi.NotKept(w)
	owner := app.Owner{UserID: int64(who.ID), Nickname: who.Name, Email: who.Email}
	a, secret, err := g.Applications.Create(r.Context(), body.Name, owner)
	if err != nil {
		return err
	}
	view := showApplication(a)
	view.ClientSecret = secret
	httpapi.Write(w, http.StatusCreated, view)
	return nil
}

// readApplication serves GET /console/api/application/:application/.
func (g *Group) readApplication(w http.ResponseWriter, r *http.Request) error {
	a, err := g.Applications.Get(r.Context(), httpapi.ScopeOf(r).App)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, showApplication(a))
	return nil
}

// renameApplication serves PATCH /console/api/application/:application/.
func (g *Group) renameApplication(w http.ResponseWriter, r *http.Request) error {
	var body nameBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	a, err := g.Applications.Rename(r.Context(), httpapi.ScopeOf(r).App, body.Name)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, showApplication(a))
	return nil
}

// resetSecret serves POST /console/api/application/:application/secret/.
func (g *Group) resetSecret(w http.ResponseWriter, r *http.Request) error {
	httpapi.NotKept(w)
	secret, err := g.Applications.ResetSecret(r.Context(), httpapi.ScopeOf(r).App)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, struct {
		ClientSecret string `json:"client_secret"`
	}{secret})
	return nil
}

// revokeTokens serves POST /console/api/application/:application/revoke-tokens/.
func (g *Group) revokeTokens(w http.ResponseWriter, r *http.Request) error {
	if err := g.Applications.RevokeTokens(r.Context(), httpapi.ScopeOf(r).App); err != nil {
		return err
	}
	httpapi.NoContent(w)
	return nil
}

// addEnvironment serves POST /console/api/application/:application/environment/.
func (g *Group) addEnvironment(w http.ResponseWriter, r *http.Request) error {
	var body nameBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	env, err := g.Applications.AddEnvironment(r.Context(), httpapi.ScopeOf(r).App, body.Name)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusCreated, environmentView{env, body.Name})
	return nil
}

// renameEnvironment serves PATCH /console/api/application/:application/environment/:env/.
func (g *Group) renameEnvironment(w http.ResponseWriter, r *http.Request) error {
	var body nameBody
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	env := tenant.EnvID(r.PathValue("env"))
	if err := g.Applications.RenameEnvironment(r.Context(), httpapi.ScopeOf(r).App, env, body.Name); err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, environmentView{env, body.Name})
	return nil
}
