package api

import (
	"net/http"
	"time"

	"minicloud/shared/console"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/tenant"
)

type accountView struct {
	ID    console.AccountID `json:"id"`
	Email string            `json:"email"`
	Name  string            `json:"name"`
	Role  console.Role      `json:"role"`
	// AllApplications is access to every application; without it Applications are all there are.
	AllApplications bool           `json:"all_applications"`
	Applications    []tenant.AppID `json:"applications"`
	CreatedAt       int64          `json:"created_at,omitempty"`
}

func showAdministrator(a console.Administrator) accountView {
	applications := a.Applications
	if applications == nil {
		applications = []tenant.AppID{}
	}
	return accountView{
		ID: a.ID, Email: a.Email, Name: a.Name, Role: a.Role, AllApplications: a.AllApplications, Applications: applications,
	}
}

func showAccount(a console.Account) accountView {
	view := showAdministrator(a.Administrator())
	view.CreatedAt = a.CreatedAt.Unix()
	return view
}

// listOf is a list that is whole.
type listOf[V any] struct {
	Objects []V `json:"objects"`
}

func shown[T, V any](all []T, show func(T) V) listOf[V] {
	objects := make([]V, 0, len(all))
	for _, one := range all {
		objects = append(objects, show(one))
	}
	return listOf[V]{objects}
}

// listAccounts serves GET /console/api/account/.
func (g *Group) listAccounts(w http.ResponseWriter, r *http.Request) error {
	if err := administrator(r).Everywhere(); err != nil {
		return err
	}
	all, err := g.Accounts.Accounts.Accounts(r.Context())
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, shown(all, showAccount))
	return nil
}

// createAccount serves POST /console/api/account/.
func (g *Group) createAccount(w http.ResponseWriter, r *http.Request) error {
	if err := administrator(r).Everywhere(); err != nil {
		return err
	}
	var body struct {
		Email           string          `json:"email"`
		Name            string          `json:"name"`
		Password        string          `json:"password"`
		Role            console.Role    `json:"role"`
		AllApplications bool            `json:"all_applications"`
		Applications    *[]tenant.AppID `json:"applications"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	draft := console.Draft{
		Email: body.Email, Name: body.Name, Password: body.Password, Role: body.Role, AllApplications: body.AllApplications,
	}
	if body.Applications != nil {
		draft.Applications = *body.Applications
	} else if !body.AllApplications {
		return errs.Invalid("applications is required unless all_applications is true; [] means none")
	}
	if err := g.known(r, draft.Applications); err != nil {
		return err
	}

	a, err := g.Accounts.Create(r.Context(), draft)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusCreated, showAccount(a))
	return nil
}

// known returns errs.Invalid for applications that are not there.
func (g *Group) known(r *http.Request, ids []tenant.AppID) error {
	for _, id := range ids {
		_, err := g.Applications.Get(r.Context(), id)
		if errs.Is(err, errs.KindNotFound) {
			return errs.Invalid("applications: application %d does not exist", id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// person returns whom a path names: oneself, or for an owner of all applications anybody.
func person(r *http.Request) (console.AccountID, error) {
	who := administrator(r)
	id, err := console.ParseAccountID(r.PathValue("account"))
	if err != nil || id == who.ID {
		return id, err
	}
	return id, who.Everywhere()
}

// readAccount serves GET /console/api/account/:account/.
func (g *Group) readAccount(w http.ResponseWriter, r *http.Request) error {
	id, err := person(r)
	if err != nil {
		return err
	}
	a, err := g.Accounts.Accounts.Account(r.Context(), id)
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, showAccount(a))
	return nil
}

// changeAccount serves PATCH /console/api/account/:account/.
func (g *Group) changeAccount(w http.ResponseWriter, r *http.Request) error {
	if err := administrator(r).Everywhere(); err != nil {
		return err
	}
	id, err := person(r)
	if err != nil {
		return err
	}
	var body struct {
		Name            *string         `json:"name"`
		Role            *console.Role   `json:"role"`
		AllApplications *bool           `json:"all_applications"`
		Applications    *[]tenant.AppID `json:"applications"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}
	if body.Applications != nil {
		if err := g.known(r, *body.Applications); err != nil {
			return err
		}
	}

	a, err := g.Accounts.Modify(r.Context(), id, console.Change(body))
	if err != nil {
		return err
	}
	httpapi.Write(w, http.StatusOK, showAccount(a))
	return nil
}

// deleteAccount serves DELETE /console/api/account/:account/.
func (g *Group) deleteAccount(w http.ResponseWriter, r *http.Request) error {
	if err := administrator(r).Everywhere(); err != nil {
		return err
	}
	id, err := person(r)
	if err != nil {
		return err
	}
	if err := g.Accounts.Delete(r.Context(), id); err != nil {
		return err
	}
	httpapi.NoContent(w)
	return nil
}

// putPassword serves PUT /console/api/account/:account/password/. One's own password takes the old one.
func (g *Group) putPassword(w http.ResponseWriter, r *http.Request) error {
	id, err := person(r)
	if err != nil {
		return err
	}
	var body struct {
		Old string `json:"old_password"`
		New string `json:"new_password"`
	}
	if err := httpapi.Decode(r, &body); err != nil {
		return err
	}

	if caller := httpapi.CallerOf(r); id == caller.Administrator.ID {
		err = g.Accounts.ChangePassword(r.Context(), caller.Session, body.Old, body.New)
	} else {
		err = g.Accounts.ResetPassword(r.Context(), id, body.New)
	}
	if err != nil {
		return err
	}
	httpapi.NoContent(w)
	return nil
}

type browserView struct {
	ID        string `json:"id"`
	CreatedAt int64  `json:"created_at"`
	SeenAt    int64  `json:"seen_at"`
	ExpiresAt int64  `json:"expires_at"`
	Address   string `json:"address"`
	UserAgent string `json:"user_agent"`
	Current   bool   `json:"current"`
}

// idDigits is how much of a session's digest names it to people.
const idDigits = 16

// listSessions serves GET /console/api/account/:account/session/.
func (g *Group) listSessions(w http.ResponseWriter, r *http.Request) error {
	id, err := person(r)
	if err != nil {
		return err
	}
	all, err := g.Accounts.Sessions.Sessions(r.Context(), id)
	if err != nil {
		return err
	}

	now, current := g.Clock.Now(), httpapi.CallerOf(r).Session.Digest
	var live []console.Session
	for _, s := range all {
		if now.Before(s.Expires()) {
			live = append(live, s)
		}
	}
	httpapi.Write(w, http.StatusOK, shown(live, func(s console.Session) browserView {
		return browserView{
			ID: string(s.Digest[:idDigits]), CreatedAt: s.CreatedAt.Unix(), SeenAt: s.SeenAt.Unix(),
			ExpiresAt: s.Expires().Unix(), Address: s.Address, UserAgent: s.UserAgent, Current: s.Digest == current,
		}
	}))
	return nil
}

// endSessions serves DELETE /console/api/account/:account/session/.
func (g *Group) endSessions(w http.ResponseWriter, r *http.Request) error {
	id, err := person(r)
	if err != nil {
		return err
	}
	if err := g.Accounts.SignOutEverywhere(r.Context(), id); err != nil {
		return err
	}
	if id == administrator(r).ID {
		http.SetCookie(w, sessionCookie(r, "", -time.Second))
	}
	httpapi.NoContent(w)
	return nil
}
