// Package wire assembles program session.
package wire

import (
	"time"

	"minicloud/functions/session/api"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/lambdahttp"
	"minicloud/shared/secret/password"
	"minicloud/shared/user"
	"minicloud/shared/user/login"
	"minicloud/shared/user/phone"
	"minicloud/shared/user/session"
)

// parallelHashes limits concurrent password hashes, because of this program's 512 MB of memory.
const parallelHashes = 4

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	logins := &login.Service{
		Users: &user.Service{
			Tables: b.Tables(), Accounts: b.Accounts(), Groups: b.Groups(), Passwords: password.New(parallelHashes),
			Phones: phone.Key, Clock: b.Clock, IDs: b.IDs,
		},
		Store: b.EndUserSessions(), Attempts: b.LoginAttempts(),
		Lifetime: time.Duration(b.Int("SESSION_SECONDS", int(session.MaxLifetime/time.Second))) * time.Second,
		PerHour:  b.Int("NEW_USERS_PER_HOUR", 0),
	}
	face := b.API((&api.Group{Logins: logins}).Routes())
	b.ServeEndUsers(face)
	return lambdahttp.Adapt(face.Handler())
}
