// Package requests is a load of requests that fire no trigger: function jobs, bulk requests and tokens.
// Concurrent additions and unique names are played by the simulation, which lets programs die between any two calls.
package requests

import (
	"context"
	"math/rand/v2"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/infra/lab/load"
)

// Parts returns the parts of the load, each with an application of its own.
func Parts(l *load.Load) []load.Part {
	b := load.Base{Load: l}
	return []load.Part{&runs{Base: b}, &bulks{Base: b}, &tokens{Base: b}}
}

// tokens gets and refreshes tokens of an application of its own, because a refresh invalidates all earlier tokens.
type tokens struct{ load.Base }

// The report lines of tokens.
const (
	tokensGiven    = "tokens"
	tokensRenewed  = "token refreshes"
	tokensReplaced = "replaced tokens"
)

func (l *tokens) Plant(ctx context.Context) (err error) {
	l.App, err = l.Application(ctx, "tokens")
	return err
}

func (l *tokens) Clients() []load.Turns {
	return []load.Turns{{Pause: 200 * time.Millisecond, Once: l.refresh}}
}

// refresh gets a token, refreshes it, and checks which of the two are valid.
func (l *tokens) refresh(*rand.Rand) {
	ctx := context.Background()
	given, renewed, replaced := l.Lines.Line(tokensGiven), l.Lines.Line(tokensRenewed), l.Lines.Line(tokensReplaced)
	var first, second client.Grant
	r := l.App.Exchange(ctx)
	given.Request(r.Known(), "", "", 0)
	if r.Decode(&first) != nil {
		return // the code may be spent: the next turn gets another
	}
	if l.App.Valid(ctx, first.Access) == client.Refused {
		given.Fail(&given.Lost, "a token was given and is refused")
	}

	r = l.App.Renew(ctx, first.Refresh)
	renewed.Request(r.Known(), "", "", 0)
	if r.Known() == client.Refused {
		renewed.Fail(&renewed.Lost, "a refresh was refused: %v", r.Failure())
	}
	if r.Decode(&second) != nil {
		return
	}

	if l.App.Valid(ctx, second.Access) == client.Refused {
		renewed.Fail(&renewed.Lost, "a token was refreshed and the new one is refused")
	}
	old := l.App.Valid(ctx, first.Access)
	replaced.Request(-old, "", "", 0) // the old token must be refused, so a refusal counts as acknowledged
	if old == client.Acknowledged {
		replaced.Fail(&replaced.Doubled, "a token was refreshed and the old one is still valid")
	}
}

func (*tokens) Judge(context.Context) error { return nil }
