// Package wire assembles program session.
package wire

import (
	"strings"
	"time"

	"minicloud/functions/session/api"
	"minicloud/shared/aws/secretbox"
	"minicloud/shared/dynamo/proofdb"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/outbound/alt"
	"minicloud/shared/outbound/chat"
	"minicloud/shared/outbound/tpay"
	"minicloud/shared/outbound/vendor"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/outgoing"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/program/lambdahttp"
	"minicloud/shared/proof/maillink"
	"minicloud/shared/proof/smscode"
	"minicloud/shared/secret/password"
	"minicloud/shared/user"
	"minicloud/shared/user/idp"
	"minicloud/shared/user/login"
	"minicloud/shared/user/phone"
	"minicloud/shared/user/session"
)

// parallelHashes limits concurrent password hashes, because of this program's 512 MB of memory.
const parallelHashes = 4

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any {
	private := b.AllowPrivate()
	onChat, onTpay := chat.New(b.String("CHAT_API"), private), tpay.New(b.String("TPAY_API"), private)
	return Handler(b, Vendors{
		Exchanges: map[messaging.Vendor]idp.Exchange{
			messaging.Chat: onChat, messaging.Tpay: onTpay, messaging.Alt: alt.New(b.String("ALT_API"), private, b.Clock),
		},
		Phones: onChat,
		Tokens: map[messaging.Vendor]templatemessage.TokenGiver{messaging.Chat: onChat, messaging.Tpay: onTpay},
		Web:    providers(b, onChat.API),
	})
}

// providers returns the providers of logins for web pages: those of chat, and any other by OpenID Connect.
func providers(b *backend.Backend, onChat *vendor.Client) func(messaging.Provider) idp.WebProvider {
	pages := strings.TrimSuffix(b.String("CHAT_PAGES"), "/")
	inBrowser, inChat := chat.WebProvider(onChat, pages, false), chat.WebProvider(onChat, pages, true)
	others := &vendor.OpenID{API: onChat, Clock: b.Clock}
	return func(p messaging.Provider) idp.WebProvider {
		switch p {
		case "oauth-chat-web":
			return inBrowser
		case "oauth-chat-mp":
			return inChat
		}
		return others
	}
}

// Vendors are the ports to the vendors of mini programs. The simulation replaces them.
type Vendors struct {
	Exchanges map[messaging.Vendor]idp.Exchange
	Phones    idp.PhoneExchange
	Tokens    map[messaging.Vendor]templatemessage.TokenGiver
	Web       func(messaging.Provider) idp.WebProvider
}

// Handler returns the handler of the program with these vendors.
func Handler(b *backend.Backend, of Vendors) any {
	logins := &login.Service{
		Users: &user.Service{
			Tables: b.Tables(), Accounts: b.Accounts(), Groups: b.Groups(), Passwords: password.New(parallelHashes),
			Phones: phone.Key, Clock: b.Clock, IDs: b.IDs,
		},
		Store: b.EndUserSessions(), Attempts: b.LoginAttempts(),
		Lifetime: time.Duration(b.Int("SESSION_SECONDS", int(session.MaxLifetime/time.Second))) * time.Second,
		PerHour:  b.Int("NEW_USERS_PER_HOUR", 0),
	}
	keys := secrets.Open(b)
	settings := b.MessageSettings()
	settings.Sealer = keys
	group := &api.Group{
		Logins: logins, Vendors: vendors(b, logins, keys, of),
		Codes: &smscode.Logins{Logins: logins, Codes: &smscode.Codes{
			Store: b.Codes(), Keys: keys, Phones: phone.Key, Clock: b.Clock,
		}},
		Links: links(b, logins),
		Web: &idp.Web{
			Settings: settings, Store: &proofdb.WebLogins{Client: b.DynamoDB, Table: b.String("USERS_TABLE")},
			Providers: of.Web, Logins: logins, Clock: b.Clock,
		},
	}
	face := b.API(group.Routes())
	b.ServeEndUsers(face)
	return lambdahttp.Adapt(face.Handler())
}

// links returns the service of links in mails.
func links(b *backend.Backend, logins *login.Service) *maillink.Links {
	settings := b.MessageSettings()
	settings.KeepFor = keepSettings
	_, mails := outgoing.Mails(b)
	return &maillink.Links{
		Applications: b.Applications(), Logins: logins, Store: b.MailTokens(), Settings: settings, Sender: mails,
		Claims: b.MailClaims(),
	}
}

// keepSettings is how long the settings of vendors are cached. A change has effect after it.
const keepSettings = 10 * time.Second

// vendors returns the service of logins by the vendors of mini-programs.
func vendors(b *backend.Backend, logins *login.Service, keys *secretbox.Box, of Vendors) *idp.Service {
	settings := b.MessageSettings()
	settings.KeepFor = keepSettings
	return &idp.Service{
		Accounts: &templatemessage.Accounts{
			Settings: settings, Sealer: keys,
			Tokens: &templatemessage.Tokens{
				Store: b.VendorTokens(), Sealer: keys, Clock: b.Clock,
				Givers: of.Tokens,
			},
		},
		Exchanges: of.Exchanges, Phones: of.Phones, Logins: logins, Keys: b.SessionKeys(),
	}
}
