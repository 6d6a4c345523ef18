package oauth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"time"

	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/retry"
)

// Service issues codes and tokens.
type Service struct {
	Store Store
	Clock clock.Clock
	// AccessLifetime is in whole seconds; 0 means the constant AccessLifetime.
	AccessLifetime time.Duration
	// Log receives the security events; it is required.
	Log *slog.Logger
}

// Tokens is the response of endpoints 11 and 12.
type Tokens struct {
	Access    string
	Refresh   string
	ExpiresIn int // remaining lifetime of the access token, in seconds
}

// afterConflict retries after a conflict with a concurrent request; the second try normally sees that request's result.
var afterConflict = retry.Policy{Tries: 4, First: time.Millisecond, Longest: 8 * time.Millisecond}

// decide returns the tokens of f and retries f on errs.Conflict. If conflicts persist, it returns errs.Unavailable with
// busy.
func decide(ctx context.Context, busy string, f func() (Tokens, error)) (tokens Tokens, err error) {
	err = afterConflict.Do(ctx, retry.OnConflict, func(int) (err error) {
		tokens, err = f()
		return err
	})
	switch {
	case errs.Is(err, errs.KindConflict):
		return Tokens{}, errs.Unavailable(1, "%s, try again", busy)
	case err != nil:
		return Tokens{}, err
	}
	return tokens, nil
}

// Exchange redeems a code for the first pair of tokens (11).
//
// Errors: errs.Unauthenticated for wrong credentials; errs.Forbidden ("invalid_grant") for a code that is unknown,
// expired, used, of another client, or older than the client's secret. A second use revokes the tokens of the first.
func (s *Service) Exchange(ctx context.Context, c Credentials, code string) (Tokens, error) {
	digest := app.DigestOf(code)
	return decide(ctx, "the code is being exchanged", func() (Tokens, error) {
		a, record, err := s.find(ctx, c, KindCode, digest)
		if err != nil {
			return Tokens{}, err
		}

		now := s.Clock.Now()
		// A new client secret also invalidates the codes issued under the old one.
		if !record.live(now) || !record.Secret.Equal(a.SecretDigest) {
			return Tokens{}, errBadGrant("the code is unknown or expired")
		}
		if !record.UsedAt.IsZero() {
			return Tokens{}, s.codeReused(ctx, a, digest)
		}

		h := a.ClientID.Handle()
		pair := s.pair(newToken(h), newToken(h), digest, a.Generation, now)
		redemption := Redemption{Code: digest, Now: now, Access: pair.access, Refresh: pair.refresh}
		return pair.tokens, s.Store.Redeem(ctx, h, redemption)
	})
}

// codeReused revokes the tokens of a code that was sent twice: one of the senders may be an attacker (RFC 6749 §4.1.2).
func (s *Service) codeReused(ctx context.Context, a app.Application, code app.Digest) error {
	s.securityEvent(ctx, a, "code_reuse")
	if err := s.Store.RevokeGrant(ctx, a.ClientID.Handle(), code); err != nil {
		return fmt.Errorf("revoke what a reused code gave: %w", err)
	}
	return errBadGrant("the code was used before, so the tokens it gave are revoked")
}

// Refresh redeems a refresh token for a new pair and revokes all earlier tokens of the client (12).
//
// Errors: errs.Unauthenticated for wrong credentials; errs.Forbidden ("invalid_grant") for a token that is unknown,
// expired, of another client or revoked. Within ReplayWindow the same token returns the same pair. A later reuse counts
// as theft and revokes all tokens of the client.
func (s *Service) Refresh(ctx context.Context, c Credentials, token string) (Tokens, error) {
	digest, read := app.DigestOf(token), 0
	return decide(ctx, "the tokens are being refreshed", func() (Tokens, error) {
		read++
		a, record, err := s.find(ctx, c, KindRefresh, digest)
		if err != nil {
			return Tokens{}, err
		}

		now := s.Clock.Now()
		switch {
		case !record.live(now):
			return Tokens{}, errBadRefresh()
		// Check this before the generation: a used token always has an older one.
		case !record.UsedAt.IsZero():
			return s.refreshedBefore(ctx, a, c, token, record)
		// The two items are not read at the same instant: a concurrent refresh of this token may have come between.
		case record.Generation != a.Generation && read == 1:
			return Tokens{}, errs.Conflict("the tokens are being refreshed")
		case record.Generation != a.Generation:
			return Tokens{}, errBadRefresh()
		}

		salt := id.Hex(16)
		pair := s.nextPair(c, token, salt, record, now)
		return pair.tokens, s.Store.Rotate(ctx, a.ClientID.Handle(), Rotation{
			Spent: record, Salt: salt, Now: now, Access: pair.access, Refresh: pair.refresh,
		})
	})
}

// refreshedBefore handles a used refresh token. Within ReplayWindow it returns the same pair, for a client whose
// response was lost, unless that pair is revoked or used; later it revokes all tokens.
func (s *Service) refreshedBefore(
	ctx context.Context, a app.Application, c Credentials, token string, spent Record,
) (Tokens, error) {
	h, now := a.ClientID.Handle(), s.Clock.Now()
	if now.Sub(spent.UsedAt) > ReplayWindow {
		s.securityEvent(ctx, a, "refresh_token_reuse")
		if err := s.Store.RevokeAll(ctx, h); err != nil {
			return Tokens{}, fmt.Errorf("revoke after refresh token reuse: %w", err)
		}
		return Tokens{}, errBadGrant("the refresh token was used before; all tokens of this client are revoked")
	}

	// Derive the pair from the old token and the stored salt: the pair itself is not stored.
	pair := s.nextPair(c, token, spent.Salt, spent, spent.UsedAt)
	a, next, err := s.Store.ClientAndToken(ctx, h, KindRefresh, pair.refresh.Digest)
	if err != nil {
		return Tokens{}, err
	}
	if !next.live(now) || !next.UsedAt.IsZero() || next.Generation != a.Generation {
		return Tokens{}, errBadRefresh()
	}

	pair.tokens.ExpiresIn = max(0, int(pair.access.ExpiresAt.Unix()-now.Unix()))

	return pair.tokens, nil
}

// find authenticates the client and returns the record of a token, with one read.
func (s *Service) find(ctx context.Context, c Credentials, kind Kind, d app.Digest) (app.Application, Record, error) {
	if !c.ClientID.Valid() {
		return app.Application{}, Record{}, errBadClient()
	}
	a, record, err := s.Store.ClientAndToken(ctx, c.ClientID.Handle(), kind, d)
	if err := checkClient(a, c, err); err != nil {
		return app.Application{}, Record{}, err
	}
	return a, record, nil
}

// issued is a pair of tokens with their records.
type issued struct {
	tokens          Tokens
	access, refresh Record
}

func (s *Service) pair(access, refresh string, grant app.Digest, generation int, now time.Time) issued {
	lifetime := s.AccessLifetime
	if lifetime == 0 {
		lifetime = AccessLifetime
	}
	record := func(kind Kind, token string, lifetime time.Duration) Record {
		return Record{
			Kind: kind, Digest: app.DigestOf(token), ExpiresAt: now.Add(lifetime),
			Generation: generation, Grant: grant,
		}
	}
	return issued{
		tokens:  Tokens{Access: access, Refresh: refresh, ExpiresIn: int(lifetime.Seconds())},
		access:  record(KindAccess, access, lifetime),
		refresh: record(KindRefresh, refresh, RefreshLifetime),
	}
}

// nextPair derives the pair that replaces a refresh token, so that it can be returned again although only digests are
// stored. The derivation needs the token, the client's secret and the stored salt; neither one of them nor the store
// alone is enough to predict the pair.
func (s *Service) nextPair(c Credentials, token, salt string, spent Record, now time.Time) issued {
	derive := func(kind Kind) string {
		mac := hmac.New(sha256.New, []byte(token))
		fmt.Fprintf(mac, "%s\n%s\n%s\n%d\n%s", c.ClientID, c.Secret, salt, spent.Generation, kind)
		return string(c.ClientID.Handle()) + hex.EncodeToString(mac.Sum(nil)[:15])
	}
	return s.pair(derive(KindAccess), derive(KindRefresh), spent.Grant, spent.Generation+1, now)
}

func (s *Service) securityEvent(ctx context.Context, a app.Application, event string) {
	s.Log.WarnContext(ctx, "security event", "security_event", event,
		"client_id", string(a.ClientID), "application", int64(a.ID))
}

func errBadGrant(sentence string) error { return errs.Forbidden("%s", sentence) }

func errBadRefresh() error {
	return errBadGrant("the refresh token is unknown, expired or revoked")
}
