// Package console knows the administrators of the platform: their accounts, how they sign in, what they may do, and
// what they have done.
//
//	Account   email, password, role, applications    account.go
//	Session   a browser that is signed in            session.go
//	attempts  wrong passwords, and the lock-out      attempt.go
//	Token     a session's way into the open API      token.go
//	EndUser   a user in whose name one runs functions acting.go
//	Entry     a change, written before it is made    audit.go
//
// A role says what an account may do in its applications:
//
//	viewer     read
//	developer  and change what the open API changes
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

// Role says what an account may do.
type Role string

// The roles, each with all that the ones before it may do.
const (
	Viewer    Role = "viewer"
	Developer Role = "developer"
	Owner     Role = "owner"
)

var roles = []Role{Viewer, Developer, Owner}

// Valid reports whether r is a role.
func (r Role) Valid() bool { return slices.Contains(roles, r) }

// Includes reports whether r may do all that least may.
func (r Role) Includes(least Role) bool {
	return r.Valid() && slices.Index(roles, r) >= slices.Index(roles, least)
}

// AccountID is the number of an account, 0 < id < 2^53.
type AccountID int64

// ReadText reads an account's id from a path; what cannot be one does not exist.
func (a *AccountID) ReadText(text string) error {
	n, ok := id.Parse[AccountID](text)
	if !ok {
		return errs.NotFound("account not found")
	}
	*a = n
	return nil
}

// Administrator is who acts: what a session or a console token says of an account.
type Administrator struct {
	ID    AccountID
	Email string
	Name  string
	Role  Role
	// AllApplications gives access to every application, also those made later. Without it only Applications count.
	AllApplications bool
	Applications    []tenant.AppID
	// Revision is the account's when this was read: a change after it ends what was allowed before.
	Revision int64
	// Session is that of the browser whose console token speaks, "" where there is none: the token ends with it.
	Session app.Digest
	// As is the user of an application in whose name functions are run, nil for nobody (acting.go).
	As *EndUser
}

// May returns errs.Forbidden, which names the role, when the administrator's does not include least.
func (a Administrator) May(least Role) error {
	if a.Role.Includes(least) {
		return nil
	}
	return errs.Forbidden("your role is %s; this requires %s", a.Role, least)
}

// Enters reports whether the administrator has access to an application.
func (a Administrator) Enters(id tenant.AppID) bool {
	return a.AllApplications || slices.Contains(a.Applications, id)
}

// Everywhere returns errs.Forbidden unless the administrator is an owner of all applications: who manages accounts
// could give themselves any.
func (a Administrator) Everywhere() error {
	if err := a.May(Owner); err != nil {
		return err
	}
	if !a.AllApplications {
		return errs.Forbidden("only an owner of all applications can do this")
	}
	return nil
}
