// Package api serves the settings of mail, SMS, template messages and logins (G26, C37), form ids (D42), subscriptions, the
// messages that functions send, and verification codes.
package api

import (
	"net/http"

	"minicloud/shared/httpapi"
	"minicloud/shared/message/allowance"
	"minicloud/shared/message/messaging"
	"minicloud/shared/proof/smscode"
	"minicloud/shared/trigger/action/email"
	"minicloud/shared/trigger/action/send"
	"minicloud/shared/user/consent"
)

// Group adapts the message services to HTTP.
type Group struct {
	Settings *messaging.Settings
	Mails    *email.Mailer
	Messages *send.Service
	Codes    *smscode.Codes
	FormIDs  *consent.FormIDs
	Tickets  *consent.Tickets
	Openings *consent.Openings
	Senders  *allowance.Senders
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	const mail, sms = "/oserve/v3/mail-setting", "/oserve/v3/sms-setting"
	const message, formIDs = "/oserve/v3/message-setting/{vendor}", "/oserve/v3/user/{user}/form-id"
	const logins = "/oserve/v3/login-setting"
	const login = logins + "/{provider}"
	const tickets, suppressions = "/oserve/v3/user/{user}/subscription", mail + "/suppression"
	return append(append(g.clientRoutes(), g.clientCodeRoutes()...), []httpapi.Route{
		{Method: http.MethodGet, Path: mail, Access: httpapi.Bearer, Call: httpapi.Call(g.readMailSetting)},
		{Method: http.MethodPut, Path: mail, Access: httpapi.Bearer, Call: httpapi.Call(g.putMailSetting)},
		{Method: http.MethodPost, Path: mail + "/verification", Access: httpapi.Bearer, Call: httpapi.Call(g.verifySender)},
		{Method: http.MethodPost, Path: mail + "/confirmation", Access: httpapi.Bearer, Call: httpapi.Call(g.confirmSender)},
		{Method: http.MethodPost, Path: mail + "/reopening", Access: httpapi.Bearer, Call: httpapi.Call(g.reopenSender)},
		{Method: http.MethodGet, Path: suppressions, Access: httpapi.Bearer, Call: httpapi.Call(g.listSuppressions)},
		{
			Method: http.MethodDelete, Path: suppressions + "/{address}", Access: httpapi.Bearer,
			Call: httpapi.Call(g.deleteSuppression),
		},
		{Method: http.MethodGet, Path: sms, Access: httpapi.Bearer, Call: httpapi.Call(g.readSMSSetting)},
		{Method: http.MethodPut, Path: sms, Access: httpapi.Bearer, Call: httpapi.Call(g.putSMSSetting)},
		{Method: http.MethodGet, Path: message, Access: httpapi.Bearer, Call: httpapi.Call(g.readMessageSetting)},
		{Method: http.MethodPut, Path: message, Access: httpapi.Bearer, Call: httpapi.Call(g.putMessageSetting)},
		{Method: http.MethodGet, Path: logins, Access: httpapi.Bearer, Call: httpapi.Call(g.listLoginSettings)},
		{Method: http.MethodGet, Path: login, Access: httpapi.Bearer, Call: httpapi.Call(g.readLoginSetting)},
		{Method: http.MethodPut, Path: login, Access: httpapi.Bearer, Call: httpapi.Call(g.putLoginSetting)},
		{Method: http.MethodGet, Path: formIDs, Access: httpapi.Bearer, Call: httpapi.Call(g.countFormIDs)},
		{
			Method: http.MethodPost, Path: formIDs, Access: httpapi.Bearer, Call: httpapi.Call(g.addFormID),
			Status: http.StatusCreated,
		},
		{Method: http.MethodGet, Path: tickets, Access: httpapi.Bearer, Call: httpapi.Call(g.countTickets)},
		{
			Method: http.MethodPost, Path: tickets, Access: httpapi.Bearer, Call: httpapi.Call(g.addTicket),
			Status: http.StatusCreated,
		},
		{
			Method: http.MethodGet, Path: "/oserve/v3/message-opening/{stats_id}", Access: httpapi.Bearer,
			Call: httpapi.Call(g.countOpenings),
		},

		{
			Method: http.MethodPost, Path: "/oserve/v2.1/sms-verification-code", Access: httpapi.Bearer,
			Call: httpapi.Call(g.sendCode), Twin: true,
		},
		{
			Method: http.MethodPost, Path: "/oserve/v1.8/sms-verification-code/verify", Access: httpapi.Bearer,
			Call: httpapi.Call(g.verifyCode), Twin: true,
		},

		{Method: http.MethodPost, Path: "/dserve/v1/message/mail", Access: httpapi.RunToken, Call: httpapi.Call(g.sendMail)},
		{Method: http.MethodPost, Path: "/dserve/v1/message/sms", Access: httpapi.RunToken, Call: httpapi.Call(g.sendSMS)},
		{
			Method: http.MethodPost, Path: "/dserve/v1/message/template/{vendor}", Access: httpapi.RunToken,
			Call: httpapi.Call(g.sendTemplate),
		},
		{
			Method: http.MethodPost, Path: "/dserve/v1/message/subscribe/{vendor}", Access: httpapi.RunToken,
			Call: httpapi.Call(g.sendSubscribed),
		},
	}...)
}
