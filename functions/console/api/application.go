package api

import (
	"cmp"
	"context"
	"slices"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/console"
	"minicloud/shared/httpapi"
	"minicloud/shared/tenant"
)

// Application is an application. client_secret is present only when it is created.
type Application struct {
	ID           tenant.AppID    `json:"id"`
	Name         string          `json:"name"`
	ClientID     app.ClientID    `json:"client_id" pattern:"^[0-9a-f]{20}$"`
	Environments []Environment   `json:"environments"` // Production first.
	CreatedAt    httpapi.Seconds `json:"created_at"`
	ClientSecret string          `json:"client_secret,omitempty" pattern:"^[0-9a-f]{40}$"` // The client secret. Present only when the application is created.
}

// Environment is an environment of an application.
type Environment struct {
	ID   tenant.EnvID `json:"id" pattern:"^(production|[0-9a-f]{20})$"`
	Name string       `json:"name"`
}

func showApplication(a app.Application) Application {
	var tests []Environment
	for id, name := range a.Environments {
		tests = append(tests, Environment{id, name})
	}
	slices.SortFunc(tests, func(a, b Environment) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return Application{
		ID: a.ID, Name: a.Name, ClientID: a.ClientID, CreatedAt: httpapi.Seconds(a.CreatedAt.Unix()),
		Environments: append([]Environment{{tenant.Production, string(tenant.Production)}}, tests...),
	}
}

// entered returns the applications that an administrator has access to.
func (g *Group) entered(ctx context.Context, who console.Administrator) ([]Application, error) {
	all, err := g.Applications.All(ctx)
	if err != nil {
		return nil, err
	}
	views := []Application{}
	for _, a := range all {
		if who.Enters(a.ID) {
			views = append(views, showApplication(a))
		}
	}
	return views, nil
}

// listApplications serves GET /console/api/application/.
func (g *Group) listApplications(ctx context.Context, _ httpapi.None) (listOf[Application], error) {
	views, err := g.entered(ctx, administrator(ctx))
	return listOf[Application]{views}, err
}

// ofApplication holds the path parameter of an application that the session has access to.
type ofApplication struct {
	Application tenant.AppID `path:"application"`
}

// ofEnvironment holds the path parameters of an environment.
type ofEnvironment struct {
	ofApplication
	Env tenant.EnvID `path:"env"`
}

type naming struct {
	Name string `json:"name" required:"true" minLength:"1" maxLength:"64"`
}

// createApplication serves POST /console/api/application/. The creator owns the application (D14).
func (g *Group) createApplication(ctx context.Context, in naming) (view Application, err error) {
	who := administrator(ctx)
	if err := who.Everywhere(); err != nil {
		return view, err
	}
	w, _ := httpapi.Exchange(ctx)
	httpapi.NotKept(w)
	owner := app.Owner{UserID: int64(who.ID), Nickname: who.Name, Email: who.Email}
	a, secret, err := g.Applications.Create(ctx, in.Name, owner)
	view = showApplication(a)
	view.ClientSecret = secret
	return view, err
}

// readApplication serves GET /console/api/application/:application/.
func (g *Group) readApplication(ctx context.Context, in ofApplication) (Application, error) {
	a, err := g.Applications.Get(ctx, in.Application)
	return showApplication(a), err
}

type renameApplication struct {
	ofApplication
	naming
}

// renameApplication serves PATCH /console/api/application/:application/.
func (g *Group) renameApplication(ctx context.Context, in renameApplication) (Application, error) {
	a, err := g.Applications.Rename(ctx, in.Application, in.Name)
	return showApplication(a), err
}

type newSecret struct {
	ClientSecret string `json:"client_secret" pattern:"^[0-9a-f]{40}$"`
}

// resetSecret serves POST /console/api/application/:application/secret/.
func (g *Group) resetSecret(ctx context.Context, in ofApplication) (newSecret, error) {
	w, _ := httpapi.Exchange(ctx)
	httpapi.NotKept(w)
	secret, err := g.Applications.ResetSecret(ctx, in.Application)
	return newSecret{secret}, err
}

type keyRotation struct {
	ofApplication
	Overlap *int `json:"overlap_minutes" minimum:"0" maximum:"1440"` // How long the key before stays valid. Defaults to 60.
}

// RotatedKey is the outcome of a rotation.
type RotatedKey struct {
	PreviousUntil httpapi.Seconds `json:"previous_until"` // Unix seconds: until when the key before is valid.
}

// rotateKey serves POST /console/api/application/:application/signing-key/. No key is ever shown.
func (g *Group) rotateKey(ctx context.Context, in keyRotation) (RotatedKey, error) {
	overlap := app.DefaultOverlap
	if in.Overlap != nil {
		overlap = time.Duration(*in.Overlap) * time.Minute
	}
	until, err := g.Applications.RotateKey(ctx, in.Application, overlap)
	return RotatedKey{httpapi.Seconds(until.Unix())}, err
}

// revokeTokens serves POST /console/api/application/:application/revoke-tokens/.
func (g *Group) revokeTokens(ctx context.Context, in ofApplication) (none httpapi.None, err error) {
	return none, g.Applications.RevokeTokens(ctx, in.Application)
}
