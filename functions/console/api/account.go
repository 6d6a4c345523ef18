package api

import (
	"context"
	"net/http"
	"time"

	"minicloud/shared/console"
	"minicloud/shared/errs"
	"minicloud/shared/httpapi"
	"minicloud/shared/tenant"
)

// ConsoleAccount is an administrator. The administrator of a session has no created_at.
type ConsoleAccount struct {
	ID              console.AccountID `json:"id"`
	Email           string            `json:"email"`
	Name            string            `json:"name"`
	Role            console.Role      `json:"role"`
	AllApplications bool              `json:"all_applications" schema:"ConsoleAllApplications"`
	Applications    []tenant.AppID    `json:"applications" schema:"ConsoleApplicationIDs"`
	CreatedAt       httpapi.Seconds   `json:"created_at,omitempty"`
}

func showAdministrator(a console.Administrator) ConsoleAccount {
	return ConsoleAccount{
		ID: a.ID, Email: a.Email, Name: a.Name, Role: a.Role, AllApplications: a.AllApplications,
		Applications: append([]tenant.AppID{}, a.Applications...),
	}
}

func showAccount(a console.Account) ConsoleAccount {
	view := showAdministrator(a.Administrator())
	view.CreatedAt = httpapi.Seconds(a.CreatedAt.Unix())
	return view
}

// listOf is a complete list, without pages.
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
func (g *Group) listAccounts(ctx context.Context, _ httpapi.None) (list listOf[ConsoleAccount], err error) {
	if err := administrator(ctx).Everywhere(); err != nil {
		return list, err
	}
	all, err := g.Accounts.Accounts.Accounts(ctx)
	return shown(all, showAccount), err
}

type accountDraft struct {
	Email           string          `json:"email" required:"true"`
	Name            string          `json:"name" required:"true" minLength:"1" maxLength:"64"`
	Password        string          `json:"password" required:"true" minLength:"10" maxLength:"128"`
	Role            console.Role    `json:"role" required:"true"`
	AllApplications bool            `json:"all_applications" schema:"ConsoleAllApplications"`
	Applications    *[]tenant.AppID `json:"applications" schema:"ConsoleApplicationIDs"`
}

// createAccount serves POST /console/api/account/.
func (g *Group) createAccount(ctx context.Context, in accountDraft) (view ConsoleAccount, err error) {
	if err := administrator(ctx).Everywhere(); err != nil {
		return view, err
	}
	draft := console.Draft{
		Email: in.Email, Name: in.Name, Password: in.Password, Role: in.Role, AllApplications: in.AllApplications,
	}
	if in.Applications != nil {
		draft.Applications = *in.Applications
		// A missing list must not mean none or all: either guess could be wrong without notice.
	} else if !in.AllApplications {
		return view, errs.Invalid("applications is required unless all_applications is true; [] means none")
	}
	if err := g.known(ctx, draft.Applications); err != nil {
		return view, err
	}

	a, err := g.Accounts.Create(ctx, draft)
	return showAccount(a), err
}

// known returns errs.Invalid if an application does not exist.
func (g *Group) known(ctx context.Context, ids []tenant.AppID) error {
	for _, id := range ids {
		_, err := g.Applications.Get(ctx, id)
		if errs.Is(err, errs.KindNotFound) {
			return errs.Invalid("applications: application %d does not exist", id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ofAccount holds the path parameter of one account.
type ofAccount struct {
	Account console.AccountID `path:"account"`
}

// mayReach returns errs.Forbidden for another account unless the caller is an owner of all applications.
func mayReach(ctx context.Context, id console.AccountID) error {
	who := administrator(ctx)
	if id == who.ID {
		return nil
	}
	return who.Everywhere()
}

// readAccount serves GET /console/api/account/:account/.
func (g *Group) readAccount(ctx context.Context, in ofAccount) (view ConsoleAccount, err error) {
	if err := mayReach(ctx, in.Account); err != nil {
		return view, err
	}
	a, err := g.Accounts.Accounts.Account(ctx, in.Account)
	return showAccount(a), err
}

type accountChange struct {
	Name            *string         `json:"name" minLength:"1" maxLength:"64"`
	Role            *console.Role   `json:"role"`
	AllApplications *bool           `json:"all_applications" schema:"ConsoleAllApplications"`
	Applications    *[]tenant.AppID `json:"applications" schema:"ConsoleApplicationIDs"`
}

type changeAccount struct {
	ofAccount
	accountChange
}

// changeAccount serves PATCH /console/api/account/:account/.
func (g *Group) changeAccount(ctx context.Context, in changeAccount) (view ConsoleAccount, err error) {
	if err := administrator(ctx).Everywhere(); err != nil {
		return view, err
	}
	if in.Applications != nil {
		if err := g.known(ctx, *in.Applications); err != nil {
			return view, err
		}
	}
	a, err := g.Accounts.Modify(ctx, in.Account, console.Change(in.accountChange))
	return showAccount(a), err
}

// deleteAccount serves DELETE /console/api/account/:account/.
func (g *Group) deleteAccount(ctx context.Context, in ofAccount) (none httpapi.None, err error) {
	if err := administrator(ctx).Everywhere(); err != nil {
		return none, err
	}
	return none, g.Accounts.Delete(ctx, in.Account)
}

type putPassword struct {
	ofAccount
	Old string `json:"old_password"`
	New string `json:"new_password" required:"true" minLength:"10" maxLength:"128"`
}

// putPassword serves PUT /console/api/account/:account/password/. Changing one's own password requires the old one.
func (g *Group) putPassword(ctx context.Context, in putPassword) (none httpapi.None, err error) {
	if err := mayReach(ctx, in.Account); err != nil {
		return none, err
	}
	if caller := httpapi.From(ctx); in.Account == caller.Administrator.ID {
		return none, g.Accounts.ChangePassword(ctx, caller.Session, in.Old, in.New)
	}
	return none, g.Accounts.ResetPassword(ctx, in.Account, in.New)
}

type browserView struct {
	ID        string          `json:"id"`
	CreatedAt httpapi.Seconds `json:"created_at"`
	SeenAt    httpapi.Seconds `json:"seen_at"`
	ExpiresAt httpapi.Seconds `json:"expires_at"`
	Address   string          `json:"address"`
	UserAgent string          `json:"user_agent"`
	Current   bool            `json:"current"` // Whether this session sent the request.
}

// idDigits is how many digits of a session's digest form its id in responses.
const idDigits = 16

// listSessions serves GET /console/api/account/:account/session/.
func (g *Group) listSessions(ctx context.Context, in ofAccount) (list listOf[browserView], err error) {
	if err := mayReach(ctx, in.Account); err != nil {
		return list, err
	}
	all, err := g.Accounts.Sessions.Sessions(ctx, in.Account)
	if err != nil {
		return list, err
	}

	now, current := g.Clock.Now(), httpapi.From(ctx).Session.Digest
	var live []console.Session
	for _, s := range all {
		// DynamoDB deletes expired sessions only after some time.
		if now.Before(s.Expires()) {
			live = append(live, s)
		}
	}
	return shown(live, func(s console.Session) browserView {
		return browserView{
			ID: string(s.Digest[:idDigits]), CreatedAt: httpapi.Seconds(s.CreatedAt.Unix()),
			SeenAt: httpapi.Seconds(s.SeenAt.Unix()), ExpiresAt: httpapi.Seconds(s.Expires().Unix()),
			Address: s.Address, UserAgent: s.UserAgent, Current: s.Digest == current,
		}
	}), nil
}

// endSessions serves DELETE /console/api/account/:account/session/.
func (g *Group) endSessions(ctx context.Context, in ofAccount) (none httpapi.None, err error) {
	if err := mayReach(ctx, in.Account); err != nil {
		return none, err
	}
	if err := g.Accounts.SignOutEverywhere(ctx, in.Account); err != nil {
		return none, err
	}
	if in.Account == administrator(ctx).ID {
		w, r := httpapi.Exchange(ctx)
		http.SetCookie(w, sessionCookie(r, "", -time.Second))
	}
	return none, nil
}
