package fault

import (
	"context"
	"math/rand/v2"
	"time"

	"minicloud/infra/lab/promise"
)

// The ledgers of tokens.
const (
	tokensGiven    = "tokens"
	tokensRenewed  = "token refreshes"
	tokensReplaced = "replaced tokens"
)

// tokens is the load of tokens that are given and refreshed, by a client of its own
// because a refresh ends all earlier tokens of its client.
type tokens struct {
	app      *Application
	platform *Platform
	name     string

	client                     *Application
	given, refreshed, replaced Result
}

func (l *tokens) plant(ctx context.Context) (err error) {
	l.client, err = l.platform.application(ctx, l.name+", tokens")
	return err
}

func (l *tokens) clients() []client { return []client{{200 * time.Millisecond, l.once}} }

// refreshFor is how long a refresh is repeated: a lost answer is given again for
// 60 s (D10).
const refreshFor = 20 * time.Second

// once gets a token, refreshes it, and looks which of the two are good.
func (l *tokens) once(*rand.Rand) {
	ctx := context.Background()
	var first, second grant
	r := l.client.exchange(ctx)
	l.given.Count(r.known())
	if r.decode(&first) != nil {
		return // the code may be spent: the next turn asks for another
	}
	if l.good(ctx, first.Access) == refused {
		l.given.trouble(&l.given.Lost, "a token was given and is refused")
	}

	r = l.client.refresh(ctx, first.Refresh)
	for begun := time.Now(); r.known() == unknown && time.Since(begun) < refreshFor; {
		time.Sleep(repeatAfter)
		r = l.client.refresh(ctx, first.Refresh)
	}
	l.refreshed.Count(r.known())
	if r.known() == refused {
		l.refreshed.trouble(&l.refreshed.Lost, "a refresh was refused: %v", r.failure())
	}
	if r.decode(&second) != nil {
		return
	}

	if l.good(ctx, second.Access) == refused {
		l.refreshed.trouble(&l.refreshed.Lost, "a token was refreshed and the new one is refused")
	}
	switch l.good(ctx, first.Access) {
	case refused:
		l.replaced.Count(acknowledged)
	case unknown:
		l.replaced.Count(unknown)
	case acknowledged:
		l.replaced.Count(refused)
		l.replaced.trouble(&l.replaced.Doubled, "a token was refreshed and the old one is still good")
	}
}

// good asks whether the API takes a token.
func (l *tokens) good(ctx context.Context, token string) promise.Need {
	holder := *l.client
	holder.token = token
	return holder.send(ctx, request{method: "GET", path: tablesPath + "?limit=1"}).known()
}

func (l *tokens) open(context.Context) (int, error) { return 0, nil }

func (l *tokens) judge(_ context.Context, r *Report) error {
	r.Ledger(tokensGiven).Add(l.given.Tally)
	r.Ledger(tokensRenewed).Add(l.refreshed.Tally)
	r.Ledger(tokensReplaced).Add(l.replaced.Tally)
	return nil
}
