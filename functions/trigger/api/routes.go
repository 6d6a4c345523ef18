// Package api is the management of triggers (G1-G11, section 3 of the page on triggers), the settings of what their
// actions send (G26), the form ids that template messages need (D42) and the subscriptions to others, the messages that
// functions send, and verification codes.
package api

import (
	"net/http"

	"minicloud/shared/action/email"
	"minicloud/shared/action/send"
	"minicloud/shared/clock"
	"minicloud/shared/httpapi"
	"minicloud/shared/messaging"
	"minicloud/shared/smscode"
	"minicloud/shared/templatemessage"
	"minicloud/shared/trigger/manage"
)

// Group is the HTTP face of manage.Service, messaging.Settings and templatemessage.FormIDs.
type Group struct {
	Triggers *manage.Service
	Settings *messaging.Settings
	Mails    *email.Desk
	Messages *send.Service
	Codes    *smscode.Codes
	FormIDs  *templatemessage.FormIDs
	Tickets  *templatemessage.Tickets
	Clock    clock.Clock
}

// Routes returns the endpoints of this program.
func (g *Group) Routes() []httpapi.Route {
	const triggers = "/oserve/v3/trigger"
	const mail, sms = "/oserve/v3/mail-setting", "/oserve/v3/sms-setting"
	const message, formIDs = "/oserve/v3/message-setting/{vendor}", "/oserve/v3/user/{user}/form-id"
	const tickets = "/oserve/v3/user/{user}/subscription"
	const one = triggers + "/{trigger}"
	return []httpapi.Route{
		{Method: http.MethodGet, Path: triggers, Access: httpapi.Bearer, Handle: g.list},
		{Method: http.MethodPost, Path: triggers, Access: httpapi.Bearer, Handle: g.create},
		{Method: http.MethodGet, Path: one, Access: httpapi.Bearer, Handle: g.read},
		{Method: http.MethodPut, Path: one, Access: httpapi.Bearer, Handle: g.replace},
		{Method: http.MethodDelete, Path: one, Access: httpapi.Bearer, Handle: g.delete},
		{Method: http.MethodGet, Path: one + "/log", Access: httpapi.Bearer, Handle: g.log},
		{Method: http.MethodGet, Path: one + "/evaluation", Access: httpapi.Bearer, Handle: g.evaluations},
		{Method: http.MethodGet, Path: one + "/hook", Access: httpapi.Bearer, Handle: g.calls},
		{Method: http.MethodPost, Path: one + "/hook", Access: httpapi.Bearer, Handle: g.resetHook},
		{Method: http.MethodPost, Path: one + "/action/{action}/key", Access: httpapi.Bearer, Handle: g.rotateKey},
		{Method: http.MethodPost, Path: one + "/fire", Access: httpapi.Bearer, Handle: g.fire, DryRun: true},
		{Method: http.MethodPost, Path: one + "/back-test", Access: httpapi.Bearer, Handle: g.backTest, Reads: true},
		{Method: http.MethodPost, Path: one + "/replay", Access: httpapi.Bearer, Handle: g.replayRange, DryRun: true},
		{Method: http.MethodGet, Path: "/oserve/v3/trigger-log/{entry}", Access: httpapi.Bearer, Handle: g.entry},
		{
			Method: http.MethodPost, Path: "/oserve/v3/trigger-log/{entry}/replay", Access: httpapi.Bearer, Handle: g.replay,
			DryRun: true,
		},
		{Method: http.MethodGet, Path: "/oserve/v3/trigger-log", Access: httpapi.Bearer, Handle: g.wholeLog},
		{Method: http.MethodGet, Path: "/oserve/v3/trace/{trace}", Access: httpapi.Bearer, Handle: g.trace},
		{Method: http.MethodGet, Path: "/oserve/v3/trigger-choice", Access: httpapi.Bearer, Handle: g.choices},
		{Method: http.MethodGet, Path: "/oserve/v3/trigger-map", Access: httpapi.Bearer, Handle: g.whoFiresWhom},
		{Method: http.MethodPost, Path: "/oserve/v3/trigger-check", Access: httpapi.Bearer, Handle: g.check, Reads: true},
		{Method: http.MethodGet, Path: mail, Access: httpapi.Bearer, Handle: g.readMailSetting},
		{Method: http.MethodPut, Path: mail, Access: httpapi.Bearer, Handle: g.putMailSetting},
		{Method: http.MethodGet, Path: sms, Access: httpapi.Bearer, Handle: g.readSMSSetting},
		{Method: http.MethodPut, Path: sms, Access: httpapi.Bearer, Handle: g.putSMSSetting},
		{Method: http.MethodGet, Path: message, Access: httpapi.Bearer, Handle: g.readMessageSetting},
		{Method: http.MethodPut, Path: message, Access: httpapi.Bearer, Handle: g.putMessageSetting},
		{Method: http.MethodGet, Path: formIDs, Access: httpapi.Bearer, Handle: g.countFormIDs},
		{Method: http.MethodPost, Path: formIDs, Access: httpapi.Bearer, Handle: g.addFormID},
		{Method: http.MethodGet, Path: tickets, Access: httpapi.Bearer, Handle: g.countTickets},
		{Method: http.MethodPost, Path: tickets, Access: httpapi.Bearer, Handle: g.addTicket},

		{Method: http.MethodPost, Path: "/oserve/v2.1/sms-verification-code", Access: httpapi.Bearer, Handle: g.sendCode},
		{
			Method: http.MethodPost, Path: "/oserve/v1.8/sms-verification-code/verify", Access: httpapi.Bearer,
			Handle: g.verifyCode,
		},

		{Method: http.MethodPost, Path: "/dserve/v1/message/mail", Access: httpapi.RunToken, Handle: g.sendMail},
		{Method: http.MethodPost, Path: "/dserve/v1/message/sms", Access: httpapi.RunToken, Handle: g.sendSMS},
		{
			Method: http.MethodPost, Path: "/dserve/v1/message/template/{vendor}", Access: httpapi.RunToken,
			Handle: g.sendTemplate,
		},
		{
			Method: http.MethodPost, Path: "/dserve/v1/message/subscribe/{vendor}", Access: httpapi.RunToken,
			Handle: g.sendSubscribed,
		},
	}
}
