// Package user manages the users of an application: their profiles, their login accounts and their groups.
//
//	Profile    a row of the built-in table _userprofile       profile.go    endpoints 14, 16, 17
//	BulkUpdate a change of many profiles                      bulk_update.go  endpoint 18
//	Account    username, email, phone, password               account.go    endpoint 19
//	Group      a named set of users                           group.go      D45
//
// A profile is a row with built-in columns, which only the platform writes, and custom fields, which the application
// defines and writes. The account is stored separately, because its values must never be listed or used in a where.
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

// ParseID parses a user's id from a path. It returns errs.NotFound for text that is not an id.
func ParseID(text string) (ID, error) {
	return parse[ID]("user", text)
}

// ReadText parses the id from a path or a query, as ParseID does.
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

// Row returns the id of the user's row.
func (i ID) Row() table.RowID { return table.RowID(id.ID(i).Key()) }

// Service manages users, their accounts and groups.
type Service struct {
	Tables    *manage.Service
	Accounts  AccountStore
	Groups    GroupStore
	Bulk      *bulk.Service
	Passwords *password.Hasher
	// Phones returns the canonical form of a phone number, or errs.Invalid: phone.Key. If it is nil, phones cannot be
	// set.
	Phones func(number string) (string, error)
	Clock  clock.Clock
	IDs    *id.Source
}

// ProfileTable returns the table of users, with the application's custom fields.
func (s *Service) ProfileTable(ctx context.Context, scope tenant.Scope) (table.Table, error) {
	return s.Tables.Table(ctx, scope, table.UserProfiles)
}

// exists returns errs.NotFound for an unknown user.
func (s *Service) exists(ctx context.Context, scope tenant.Scope, id ID) error {
	_, err := s.Tables.Read(ctx, scope, table.Table{ID: table.UserProfiles, Name: table.UserProfilesName}, id.Row())
	return err
}
