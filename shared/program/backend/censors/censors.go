// Package censors opens the checks of texts and images at vendors.
package censors

import (
	"time"

	"minicloud/shared/message/censor"
	"minicloud/shared/message/messaging"
	"minicloud/shared/message/templatemessage"
	"minicloud/shared/outbound/alt"
	"minicloud/shared/outbound/chat"
	"minicloud/shared/outbound/tpay"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/secrets"
)

// keepSettings is how long the settings of vendors are cached. A change has effect after it.
const keepSettings = 10 * time.Second

// Open returns the service of checks.
func Open(b *backend.Backend) *censor.Service {
	private := b.AllowPrivate()
	onChat, onTpay := chat.New(b.String("CHAT_API"), private), tpay.New(b.String("TPAY_API"), private)
	keys, settings := secrets.Open(b), b.MessageSettings()
	settings.KeepFor = keepSettings
	return &censor.Service{
		Accounts: &templatemessage.Accounts{
			Settings: settings, Sealer: keys,
			Tokens: &templatemessage.Tokens{
				Store: b.VendorTokens(), Sealer: keys, Clock: b.Clock,
				Givers: map[messaging.Vendor]templatemessage.TokenGiver{messaging.Chat: onChat, messaging.Tpay: onTpay},
			},
		},
		Texts: map[messaging.Vendor]censor.TextCheck{
			messaging.Chat: onChat, messaging.Tpay: onTpay, messaging.Alt: alt.New(b.String("ALT_API"), private, b.Clock),
		},
		Images: map[messaging.Vendor]censor.ImageCheck{messaging.Chat: onChat, messaging.Tpay: onTpay},
	}
}
