// Package api serves the settings of mail, SMS, template messages and logins (G26, C37), form ids (D42), subscriptions, the
// messages that functions send, and verification codes.
package api

import (
	"net/http"
	"slices"

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
	return slices.Concat(g.clientRoutes(), g.clientCodeRoutes(), httpapi.Alike(httpapi.Route{Access: httpapi.Bearer}, []httpapi.Route{
		{Method: http.MethodGet, Path: mail, Call: httpapi.Call(g.readMailSetting)},
		{Method: http.MethodPut, Path: mail, Call: httpapi.Call(g.putMailSetting)},
		{Method: http.MethodPost, Path: mail + "/verification", Call: httpapi.Call(g.verifySender)},
		{Method: http.MethodPost, Path: mail + "/confirmation", Call: httpapi.Call(g.confirmSender)},
		{Method: http.MethodPost, Path: mail + "/reopening", Call: httpapi.Call(g.reopenSender)},
		{Method: http.MethodGet, Path: suppressions, Call: httpapi.Call(g.listSuppressions)},
		{Method: http.MethodDelete, Path: suppressions + "/{address}", Call: httpapi.Call(g.deleteSuppression)},
		{Method: http.MethodGet, Path: sms, Call: httpapi.Call(g.readSMSSetting)},
		{Method: http.MethodPut, Path: sms, Call: httpapi.Call(g.putSMSSetting)},
		{Method: http.MethodGet, Path: message, Call: httpapi.Call(g.readMessageSetting)},
		{Method: http.MethodPut, Path: message, Call: httpapi.Call(g.putMessageSetting)},
		{Method: http.MethodGet, Path: logins, Call: httpapi.Call(g.listLoginSettings)},
		{Method: http.MethodGet, Path: login, Call: httpapi.Call(g.readLoginSetting)},
		{Method: http.MethodPut, Path: login, Call: httpapi.Call(g.putLoginSetting)},
		{Method: http.MethodGet, Path: formIDs, Call: httpapi.Call(g.countFormIDs)},
		{Method: http.MethodPost, Path: formIDs, Call: httpapi.Call(g.addFormID), Status: http.StatusCreated},
		{Method: http.MethodGet, Path: tickets, Call: httpapi.Call(g.countTickets)},
		{Method: http.MethodPost, Path: tickets, Call: httpapi.Call(g.addTicket), Status: http.StatusCreated},
		{Method: http.MethodGet, Path: "/oserve/v3/message-opening/{stats_id}", Call: httpapi.Call(g.countOpenings)},

		{Method: http.MethodPost, Path: "/oserve/v2.1/sms-verification-code", Call: httpapi.Call(g.sendCode), Twin: true},
		{Method: http.MethodPost, Path: "/oserve/v1.8/sms-verification-code/verify", Call: httpapi.Call(g.verifyCode),
			Twin: true},
	}), httpapi.Alike(httpapi.Route{Access: httpapi.RunToken}, []httpapi.Route{
		{Method: http.MethodPost, Path: "/dserve/v1/message/mail", Call: httpapi.Call(g.sendMail)},
		{Method: http.MethodPost, Path: "/dserve/v1/message/sms", Call: httpapi.Call(g.sendSMS)},
		{Method: http.MethodPost, Path: "/dserve/v1/message/template/{vendor}", Call: httpapi.Call(g.sendTemplate)},
		{Method: http.MethodPost, Path: "/dserve/v1/message/subscribe/{vendor}", Call: httpapi.Call(g.sendSubscribed)},
	}))
}
