package api

import (
	"context"
	"time"

	"minicloud/shared/console"
	"minicloud/shared/httpapi"
	"minicloud/shared/id"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

// ConsoleActor is an administrator at the time of a change, without the list of applications.
type ConsoleActor struct {
	ID    console.AccountID `json:"id"`
	Email string            `json:"email"`
	Name  string            `json:"name"`
	Role  console.Role      `json:"role"`
}

// AuditEntry is a change that an administrator requested.
type AuditEntry struct {
	ID          id.ID           `json:"id"`
	CreatedAt   httpapi.Seconds `json:"created_at"`
	Account     ConsoleActor    `json:"account"`
	ActingAs    *int64          `json:"acting_as"`      // The user that the administrator acted as.
	Application int64           `json:"application_id"` // The id of the application. 0 for none.
	Environment tenant.EnvID    `json:"environment"`    // The id of the environment. Empty for none.
	Method      string          `json:"method"`
	Path        string          `json:"path"`
	Address     string          `json:"address"`
	// The names of the given fields, never values, and "kind name" entries for the environment or the promoted objects.
	Fields []string `json:"fields"`
	Status int      `json:"status"` // The HTTP status of the response. 0 while it is unknown.
}

func showEntry(e console.Entry) AuditEntry {
	var as *int64
	if e.By.As != nil {
		as = &e.By.As.ID
	}
	return AuditEntry{
		ActingAs: as, ID: e.ID, CreatedAt: httpapi.Seconds(e.At.Unix()),
		Account:     ConsoleActor{e.By.ID, e.By.Email, e.By.Name, e.By.Role},
		Application: int64(e.Application), Environment: e.Environment, Method: e.Method, Path: e.Path, Address: e.Address,
		Fields: append([]string{}, e.Fields...), Status: e.Status,
	}
}

type auditFilter struct {
	Account httpapi.ID `query:"account"`          // The administrator.
	From    int64      `query:"from" minimum:"1"` // Unix seconds.
	To      int64      `query:"to" minimum:"1"`   // The exclusive end, in Unix seconds.
	Page    page.Request
}

type listAudit struct {
	ofApplication
	auditFilter
}

// listAudit serves GET /console/api/application/:application/audit/.
func (g *Group) listAudit(ctx context.Context, in listAudit) (httpapi.Envelope[AuditEntry], error) {
	return g.audit(ctx, in.Application, in.auditFilter)
}

// listAccountAudit serves GET /console/api/audit/: entries of no application, such as changes of accounts and
// sign-ins.
func (g *Group) listAccountAudit(ctx context.Context, in auditFilter) (list httpapi.Envelope[AuditEntry], err error) {
	if err := administrator(ctx).Everywhere(); err != nil {
		return list, err
	}
	return g.audit(ctx, 0, in)
}

func (g *Group) audit(
	ctx context.Context, application tenant.AppID, in auditFilter,
) (list httpapi.Envelope[AuditEntry], err error) {
	filter := console.AuditFilter{Account: console.AccountID(in.Account), From: instant(in.From), To: instant(in.To)}
	got, err := g.Audit.Entries(ctx, application, filter, in.Page)
	return httpapi.ListOf(ctx, in.Page, got, showEntry), err
}

// instant converts Unix seconds into a time; 0 is the zero time.
func instant(seconds int64) (t time.Time) {
	if seconds > 0 {
		t = time.Unix(seconds, 0)
	}
	return t
}
