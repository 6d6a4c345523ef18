// Package user knows the users of an application: who they are (profiles), how
// they log in (accounts), and what they belong to (groups).
//
//	Profile    a row of the built-in table _userprofile       profile.go    endpoints 14, 16, 17
//	BulkUpdate a change of many profiles                      bulk_update.go  endpoint 18
//	Account    username, email, phone, password               account.go    endpoint 19
//	Group      a named set of users                           group.go      D45
//
// A profile is a row like any other: columns of the platform, which only the
// platform writes, and custom fields, which the application defines and writes.
// The account lies apart from it, because nothing in it may ever be listed or
// asked for by where.
package user

import (
	"context"

	"minicloud/shared/bulk"
	"minicloud/shared/clip"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/secret/password"
	"minicloud/shared/table"
	"minicloud/shared/table/manage"
	"minicloud/shared/tenant"
)

// ID is the integer id of a user: the number of their row.
type ID int64

// ParseID reads a user's id from a path; what cannot be one does not exist.
func ParseID(text string) (ID, error) {
	return parse[ID]("user", text)
}

// ReadText reads the id from a path or a query, as ParseID does.
func (i *ID) ReadText(text string) (err error) {
	*i, err = ParseID(text)
	return err
}

func parse[T ~int64](kind, text string) (T, error) {
	n, ok := id.Parse[T](text)
	if !ok {
		return 0, errs.NotFound("%s %q not found", kind, clip.Text(text, clip.Name))
	}
	return n, nil
}

// row returns the user's id as a row's.
func (i ID) row() table.RowID { return table.RowID(id.ID(i).Key()) }

// Service is everything one can do with users.
type Service struct {
	Tables    *manage.Service
	Accounts  AccountStore
	Groups    GroupStore
	Bulk      *bulk.Service
	Passwords *password.Hasher
	// Phones returns a phone number in the one form by which numbers are
	// compared, or errs.Invalid: phone.Key. Where it is nil phones cannot be set.
	Phones func(number string) (string, error)
	Clock  clock.Clock
	IDs    *id.Source
}

// profiles returns the table of users as the application has extended it.
func (s *Service) profiles(ctx context.Context, scope tenant.Scope) (table.Table, error) {
	return s.Tables.Table(ctx, scope, table.UserProfiles)
}

// exists returns errs.NotFound for an unknown user.
func (s *Service) exists(ctx context.Context, scope tenant.Scope, id ID) error {
	_, err := s.Tables.Read(ctx, scope, table.Table{ID: table.UserProfiles, Name: table.UserProfilesName}, id.row())
	return err
}

// now returns the time in Unix seconds.
func (s *Service) now() int64 { return s.Clock.Now().Unix() }
