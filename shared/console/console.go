// Package console manages the administrators of the platform: their accounts, sign-in, rights and audit log.
//
//	Account   email, password, role, applications    account.go
//	Session   a signed-in browser                    session.go
//	attempts  the limit of wrong passwords           attempt.go
//	Token     a session's token for the open API     token.go
//	EndUser   the user an administrator acts as      acting.go
//	Entry     an entry of the audit log              audit.go
//
// A role defines the rights of an account in its applications:
//
//	viewer     read
//	developer  and write through the open API
//	owner      and manage applications, environments and secrets, and read the audit log
//
// An owner of all applications also manages accounts and creates applications.
package console

import (
	"slices"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// Role is a set of rights; the package comment lists the rights of each role.
type Role string

// The roles; each includes the rights of the ones before it.
const (
	Viewer    Role = "viewer"
	Developer Role = "developer"
	Owner     Role = "owner"
)

var roles = []Role{Viewer, Developer, Owner}

// Valid reports whether r is a role.
func (r Role) Valid() bool { return slices.Contains(roles, r) }

// AccountID is the number of an account, 0 < id < 2^53.
type AccountID int64

// ReadText parses an account's id from a path. It returns errs.NotFound for text that is not an id.
func (a *AccountID) ReadText(text string) error {
	n, ok := id.Parse[AccountID](text)
	if !ok {
		return errs.NotFound("account not found")
	}
	*a = n
	return nil
}

// Administrator is the identity and the rights of a session or a console token.
type Administrator struct {
	ID    AccountID
	Email string
	Name  string
	Role  Role
	// AllApplications gives access to every application, including those created later. Without it, Applications lists
	// the accessible ones.
	AllApplications bool
	Applications    []tenant.AppID
	// Revision is the account's revision when it was read: a later change invalidates these rights.
	Revision int64
	// Session identifies the browser session of a console token, "" if there is none; the token ends with the session.
	Session app.Digest
	// As is the application user as whom the administrator runs functions, nil = none (acting.go).
	As *EndUser
}

// May returns errs.Forbidden, naming the role, if the administrator's role does not include least.
func (a Administrator) May(least Role) error {
	if a.Role.Valid() && slices.Index(roles, a.Role) >= slices.Index(roles, least) {
		return nil
	}
	return errs.Forbidden("your role is %s; this requires %s", a.Role, least)
}

// Enters reports whether the administrator has access to an application.
func (a Administrator) Enters(id tenant.AppID) bool {
	return a.AllApplications || slices.Contains(a.Applications, id)
}

// Everywhere returns errs.Forbidden unless the administrator is an owner of all applications. Managing accounts
// requires it, because account managers could give themselves any access.
func (a Administrator) Everywhere() error {
	if err := a.May(Owner); err != nil {
		return err
	}
	if !a.AllApplications {
		return errs.Forbidden("only an owner of all applications can do this")
	}
	return nil
}
