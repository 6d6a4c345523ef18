// Package wire assembles program message.
package wire

import (
	"minicloud/functions/message/api"
	"minicloud/shared/delivery/safehttp"
	"minicloud/shared/dynamo/userdb"
	"minicloud/shared/message/allowance"
	"minicloud/shared/outbound/ses"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/outgoing"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/program/lambdahttp"
	"minicloud/shared/proof/smscode"
	"minicloud/shared/trigger/action/email"
	"minicloud/shared/trigger/action/send"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
	"minicloud/shared/user/phone"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	keys, claims, quotas, out := secrets.Open(b), b.Claims(), b.Quotas(), outgoing.Open(b)
	settings, users := b.MessageSettings(), &user.Service{Tables: b.Tables()}
	settings.Sealer, settings.CheckURL = keys, safehttp.New(safehttp.Options{AllowPrivate: b.AllowPrivate()}).Check

	group := &api.Group{
		Settings: settings, FormIDs: b.FormIDs(users),
		Senders: &allowance.Senders{Allowance: out.Allowance, Identities: ses.NewIdentities(b.Config, out.Account)},
		Tickets: &consent.Tickets{Store: b.Tickets(), Users: users, Clock: b.Clock},
		Openings: &consent.Openings{
			Store: &userdb.Openings{Client: b.DynamoDB, Table: b.String("USERS_TABLE")}, Clock: b.Clock,
		},
		Mails: &email.Mailer{Settings: settings, Sender: out.Mails, Claims: claims, Quotas: quotas},
		Messages: &send.Service{
			Settings: settings, Users: users, Groups: b.Groups(), Phones: phone.Key, Quotas: quotas, Runs: b.Runs(),
			Queue: queues.Open(b).Actions(), Clock: b.Clock,
		},
		Codes: &smscode.Codes{
			Settings: settings, Sender: out.Texts, Claims: claims, Users: users, Keys: keys, Phones: phone.Key,
			Store: b.Codes(), Attempts: b.LoginAttempts(), Clock: b.Clock,
		},
	}
	face := b.API(group.Routes())
	b.ServeEndUsers(face)
	return lambdahttp.Adapt(face.Handler())
}
