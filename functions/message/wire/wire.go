// Package wire assembles program message.
package wire

import (
	"minicloud/functions/message/api"
	"minicloud/shared/outbound/ses"
	"minicloud/shared/outbound/sns"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/program/lambdahttp"
	"minicloud/shared/smscode"
	"minicloud/shared/trigger/action/email"
	"minicloud/shared/trigger/action/send"
	"minicloud/shared/user"
	"minicloud/shared/user/consent"
	"minicloud/shared/user/phone"
)

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	keys, claims, quotas := secrets.Open(b), b.Claims(), b.Quotas()
	settings, users := b.MessageSettings(), &user.Service{Tables: b.Tables()}
	settings.Sealer = keys

	group := &api.Group{
		Settings: settings, FormIDs: b.FormIDs(users),
		Tickets: &consent.Tickets{Store: b.Tickets(), Users: users, Clock: b.Clock},
		Mails:   &email.Mailer{Settings: settings, Sender: ses.New(b.Config), Claims: claims, Quotas: quotas},
		Messages: &send.Service{
			Settings: settings, Users: users, Groups: b.Groups(), Phones: phone.Key, Quotas: quotas, Runs: b.Runs(),
			Queue: queues.Open(b).Actions(), Clock: b.Clock,
		},
		Codes: &smscode.Codes{
			Settings: settings, Sender: sns.New(b.Config), Claims: claims, Users: users, Keys: keys, Phones: phone.Key,
			Store: b.Codes(), Clock: b.Clock,
		},
	}
	return lambdahttp.Adapt(b.API(group.Routes()).Handler())
}
