package app

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

// Service administers applications.
type Service struct {
	Store Store
	IDs   *id.Source
	Clock clock.Clock
}

// draws is how often ids are drawn again after a collision: handles have 40
// bits, so the second draw is already rare.
const draws = 5

// Create adds an application with a new client and returns it with the
// client's secret, which is not kept and cannot be read again.
//
// Errors: errs.Invalid for a name that is empty or over MaxName characters.
func (s *Service) Create(ctx context.Context, name string, owner Owner) (Application, string, error) {
	if err := checkName("name", name); err != nil {
		return Application{}, "", err
	}

	secret := id.Hex(20)
	a := Application{
		Name: name, SecretDigest: DigestOf(secret), Generation: 1, SigningKey: newSigningKey(), Owner: owner,
		Environments: map[tenant.EnvID]string{},
	}
	var err error
	for range draws {
		now := s.Clock.Now()
		a.ID, a.ClientID, a.CreatedAt = tenant.AppID(s.IDs.New(now)), ClientID(id.Hex(10)), now
		if err = s.Store.InsertApplication(ctx, a); !errs.Is(err, errs.KindDuplicate) {
			break
		}
	}

	if err != nil {
		return Application{}, "", fmt.Errorf("create application: %w", err)
	}

	return a, secret, nil
}

// Get returns an application, errs.NotFound when there is none with this id.
func (s *Service) Get(ctx context.Context, id tenant.AppID) (Application, error) {
	return s.Store.Application(ctx, id)
}

// ByClient returns the application of a client, errs.NotFound when there is
// none.
func (s *Service) ByClient(ctx context.Context, c ClientID) (Application, error) {
	if c.Valid() {
		a, err := s.Store.ByHandle(ctx, c.Handle())
		if err != nil || a.ClientID == c {
			return a, err
		}
	}
	return Application{}, errs.NotFound("client %q not found", c)
}

// AddEnvironment adds a test environment and returns its id.
//
// Errors: errs.NotFound for the application; errs.Invalid for a name that is
// empty, over MaxName characters or "production", and over MaxEnvironments.
func (s *Service) AddEnvironment(ctx context.Context, appID tenant.AppID, name string) (tenant.EnvID, error) {
	if err := checkName("environment name", name); err != nil {
		return "", err
	}
	if name == string(tenant.Production) {
		return "", errs.Invalid("every application has the environment %q already", name)
	}
	a, err := s.Store.Application(ctx, appID)
	if err != nil {
		return "", err
	}
	env := tenant.EnvID(id.Hex(10))
	if err := s.Store.AddEnvironment(ctx, a.ClientID.Handle(), env, name); err != nil {
		return "", err
	}
	return env, nil
}

// ResetSecret gives the client a new secret and revokes all its tokens (D10).
// Errors: errs.NotFound.
func (s *Service) ResetSecret(ctx context.Context, appID tenant.AppID) (string, error) {
	a, err := s.Store.Application(ctx, appID)
	if err != nil {
		return "", err
	}
	secret := id.Hex(20)
	if err := s.Store.ReplaceSecret(ctx, a.ClientID.Handle(), DigestOf(secret)); err != nil {
		return "", err
	}
	return secret, nil
}

func checkName(field, name string) error {
	switch n := utf8.RuneCountInString(name); {
	case strings.TrimSpace(name) == "":
		return errs.Invalid("%s must not be empty", field)
	case !utf8.ValidString(name) || n > MaxName:
		return errs.Invalid("%s must be at most %d characters", field, MaxName)
	}
	return nil
}
