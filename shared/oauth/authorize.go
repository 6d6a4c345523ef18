package oauth

import (
	"context"

	"minicloud/shared/app"
	"minicloud/shared/errs"
	"minicloud/shared/id"
)

// Credentials are the id and the secret of a client.
type Credentials struct {
	ClientID app.ClientID
	Secret   string
}

// Step is the response to a ticket: another ticket, or the code.
type Step struct {
	Ticket string // "" in the last step
	Code   string
}

// Begin starts an authorization (10) and returns its first ticket. Errors: errs.Unauthenticated for wrong credentials.
func (s *Service) Begin(ctx context.Context, c Credentials) (string, error) {
	if !c.ClientID.Valid() {
		return "", errBadClient()
	}
	a, err := s.Store.ByHandle(ctx, c.ClientID.Handle())
	if err := checkClient(a, c, err); err != nil {
		return "", err
	}
	return s.issue(ctx, c.ClientID.Handle(), Record{Kind: KindTicket, Stage: 1, Secret: a.SecretDigest})
}

// Continue redeems a ticket: the first for a second one, the second for the code (D11). Errors: errs.Unauthenticated
// for a ticket that is unknown, expired or used.
func (s *Service) Continue(ctx context.Context, ticket string) (Step, error) {
	h, ok := handleOf(ticket)
	if !ok {
		return Step{}, errBadTicket()
	}

	spent, err := s.Store.SpendTicket(ctx, h, app.DigestOf(ticket), id.Hex(10), s.Clock.Now())
	if errs.Is(err, errs.KindNotFound) {
		return Step{}, errBadTicket()
	}
	if err != nil {
		return Step{}, err
	}
	// The exchange has two redirects, and each ticket is valid for one.
	if spent.Stage == 1 {
		next, err := s.issue(ctx, h, Record{Kind: KindTicket, Stage: 2, Secret: spent.Secret})
		return Step{Ticket: next}, err
	}

	code, err := s.issue(ctx, h, Record{Kind: KindCode, Secret: spent.Secret})

	return Step{Code: code}, err
}

// issue draws a ticket or code and stores r as its record.
func (s *Service) issue(ctx context.Context, h app.Handle, r Record) (string, error) {
	lifetime := TicketLifetime
	if r.Kind == KindCode {
		lifetime = CodeLifetime
	}
	token := newToken(h)
	r.Digest, r.ExpiresAt = app.DigestOf(token), s.Clock.Now().Add(lifetime)
	if err := s.Store.Insert(ctx, h, r); err != nil {
		return "", err
	}
	return token, nil
}

// checkClient checks the credentials against the result of reading the client's handle. It returns the same error for
// an unknown client and a wrong secret.
func checkClient(a app.Application, c Credentials, err error) error {
	switch {
	case errs.Is(err, errs.KindNotFound):
		return errBadClient()
	case err != nil:
		return err
	case !a.Holds(c.ClientID, c.Secret):
		return errBadClient()
	}
	return nil
}

func errBadClient() error {
	return errs.Unauthenticated("client_id or client_secret is wrong")
}

func errBadTicket() error {
	return errs.Unauthenticated("the ticket is unknown, expired or used, start again with POST")
}
