package api

import (
	"net/http"
	"net/url"
	"time"

	"minicloud/shared/console"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// actorView is an administrator at the time of a change: what they had access to is not kept.
type actorView struct {
	ID    console.AccountID `json:"id"`
	Email string            `json:"email"`
	Name  string            `json:"name"`
	Role  console.Role      `json:"role"`
}

type entryView struct {
	ID          id.ID        `json:"id"`
	CreatedAt   int64        `json:"created_at"`
	Account     actorView    `json:"account"`
	ActingAs    *int64       `json:"acting_as"`      // the user in whose name a function ran
	Application tenant.AppID `json:"application_id"` // 0: none
	Environment tenant.EnvID `json:"environment"`    // "": none
	Method      string       `json:"method"`
	Path        string       `json:"path"`
	Address     string       `json:"address"`
	Fields      []string     `json:"fields"`
	Status      int          `json:"status"` // 0: not known
}

func showEntry(e console.Entry) entryView {
	fields := e.Fields
	if fields == nil {
		fields = []string{}
	}
	var as *int64
	if e.By.As != nil {
		as = &e.By.As.ID
	}
	return entryView{
		ActingAs: as, ID: e.ID, CreatedAt: e.At.Unix(), Account: actorView{e.By.ID, e.By.Email, e.By.Name, e.By.Role},
		Application: e.Application, Environment: e.Environment, Method: e.Method, Path: e.Path, Address: e.Address, Fields: fields, Status: e.Status,
	}
}

// listAudit serves GET /console/api/application/:application/audit/.
func (g *Group) listAudit(w http.ResponseWriter, r *http.Request) error {
	return g.audit(w, r, httpapi.ScopeOf(r).App)
}

// listAccountAudit serves GET /console/api/audit/: what belongs to no application, changes of accounts and sign-ins.
func (g *Group) listAccountAudit(w http.ResponseWriter, r *http.Request) error {
	if err := administrator(r.Context()).Everywhere(); err != nil {
		return err
	}
	return g.audit(w, r, 0)
}

func (g *Group) audit(w http.ResponseWriter, r *http.Request, application tenant.AppID) error {
	req, err := httpapi.Page(r)
	if err != nil {
		return err
	}
	query := r.URL.Query()
	account, err := httpapi.Int(query, "account", 0)
	if err != nil {
		return err
	}
	filter := console.AuditFilter{Account: console.AccountID(account)}
	if filter.From, err = instant(query, "from"); err != nil {
		return err
	}
	if filter.To, err = instant(query, "to"); err != nil {
		return err
	}

	got, err := g.Audit.Entries(r.Context(), application, filter, req)
	if err != nil {
		return err
	}
	httpapi.WriteList(w, r, req, got, showEntry)
	return nil
}

// instant reads a time in Unix seconds, the zero time when it is not given.
func instant(query url.Values, name string) (time.Time, error) {
	seconds, err := httpapi.Int(query, name, 0)
	if err != nil || seconds == 0 {
		return time.Time{}, err
	}
	return time.Unix(seconds, 0), nil
}
