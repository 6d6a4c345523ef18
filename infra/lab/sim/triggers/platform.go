package triggers

import (
	"context"
	"log/slog"
	"net/http"

	incomingwebhook "minicloud/functions/incomingwebhook/wire"
	notifyapi "minicloud/functions/paymentnotify/api"
	platformevent "minicloud/functions/platformevent/wire"
	recordtrigger "minicloud/functions/recordtrigger/wire"
	timertick "minicloud/functions/timertick/wire"
	"minicloud/infra/lab/sim"
	"minicloud/infra/lab/sim/triggers/outside"
	"minicloud/shared/httpapi"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/lambdabatch"
)

// platform puts the programs together as their mains do, with fakes of the world outside.
type platform struct {
	log     *slog.Logger
	outside *outside.Services
}

// backend is the instance's, with the log of the game.
func (p *platform) backend(i *sim.Instance) *backend.Backend {
	i.Backend.Log = p.log
	return i.Backend
}

// recordTrigger is functions/recordtrigger.
func (p *platform) recordTrigger(i *sim.Instance) any {
	return lambdabatch.AdaptStream(p.log, recordtrigger.Group(p.backend(i), i.Queues).Fire)
}

// platformEvent is functions/platformevent.
func (p *platform) platformEvent(i *sim.Instance) any {
	return lambdabatch.Adapt(p.log, platformevent.Group(p.backend(i), i.Queues).Consume)
}

// timerTick is functions/timertick.
func (p *platform) timerTick(i *sim.Instance) any { return timertick.Group(p.backend(i), i.Queues) }

// incomingWebhook is functions/incomingwebhook.
func (p *platform) incomingWebhook(i *sim.Instance) any {
	group := incomingwebhook.Group(p.backend(i))
	group.Depths = outside.Depths{}
	return p.backend(i).Public(group.Routes()).Handler()
}

// paymentNotify is functions/paymentnotify.
func (p *platform) paymentNotify(i *sim.Instance) any {
	b := p.backend(i)
	group := &notifyapi.Group{
		Applications: b.Applications(), Settings: b.PaymentSettings(plainSealer{}), Bus: i.Bus, Clock: b.Clock, Log: p.log,
	}
	return (&httpapi.API{Routes: group.Routes(), Log: p.log, Clock: b.Clock}).Handler()
}

// tables are the service of all programs that write rows.
func (p *platform) tables(i *sim.Instance) any { return i.Backend.Tables() }

// owner is the part of functions/trigger that stores triggers.
func (p *platform) owner(i *sim.Instance) any {
	return i.Backend.OwnTriggers()
}

// plainSealer keeps secrets as they are: KMS is not simulated.
type plainSealer struct{}

// NewKey implements sealed.Sealer.
func (plainSealer) NewKey(context.Context, string) (clear, sealed []byte, err error) {
	return []byte("key"), []byte("key"), nil
}

// OpenKey implements sealed.Sealer.
func (plainSealer) OpenKey(_ context.Context, _ string, sealed []byte) ([]byte, error) {
	return sealed, nil
}

// Encrypt implements sealed.Sealer.
func (plainSealer) Encrypt(_ []byte, _, text string) ([]byte, error) { return []byte(text), nil }

// Decrypt implements sealed.Sealer.
func (plainSealer) Decrypt(_ []byte, _ string, sealed []byte) (string, error) {
	return string(sealed), nil
}

func queueHandler(handlers any) sim.SQSHandler { return handlers.(sim.SQSHandler) }
func httpHandler(handlers any) http.Handler    { return handlers.(http.Handler) }
