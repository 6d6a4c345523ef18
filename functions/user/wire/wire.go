// Package wire assembles program user.
package wire

import (
	"minicloud/functions/user/api"
	"minicloud/shared/bulk"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/lambdahttp"
	"minicloud/shared/secret/password"
	"minicloud/shared/user"
	"minicloud/shared/user/phone"
)

// parallelHashes limits concurrent password hashes, because of this program's 512 MB of memory.
const parallelHashes = 4

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	tables := b.Tables()
	tables.Counts = b.Counts()
	group := &api.Group{Users: &user.Service{
		Tables: tables, Accounts: b.Accounts(), Groups: b.Groups(),
		Bulk: &bulk.Service{
			Tables: tables, Store: b.Operations(), Queue: queues.Open(b).Bulk(), Clock: b.Clock, IDs: b.IDs,
		},
		Passwords: password.New(parallelHashes), Phones: phone.Key, Clock: b.Clock, IDs: b.IDs,
	}}
	face := b.API(group.Routes())
	b.ServeEndUsers(face)
	return lambdahttp.Adapt(face.Handler())
}
