package app

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/tenant"
)

// Service manages applications.
type Service struct {
	Store Store
	IDs   *id.Source
	Clock clock.Clock
}

// draws is the maximum number of times Create draws ids, which repeats after a collision. Handles have 40 bits, so even
// a second draw is rare.
const draws = 5

// Create adds an application with a new client. It also returns the client's secret, which is not stored and cannot be
// read again.
//
// Errors: errs.Invalid for a name that is empty or over MaxName characters.
func (s *Service) Create(ctx context.Context, name string, owner Owner) (Application, string, error) {
	if err := checkName("name", name); err != nil {
		return Application{}, "", err
	}

	// An Idempotency-Key makes the ids those of the first try, but the secret is new: it is never stored.
	ids, now := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	secret := id.Hex(20)
	a := Application{
		Name: name, SecretDigest: DigestOf(secret), Generation: 1, SigningKey: newSigningKey(), Owner: owner,
		Environments: map[tenant.EnvID]string{},
	}
	var err error
	for range draws {
		a.ID, a.ClientID, a.CreatedAt = tenant.AppID(ids.New(now)), ClientID(ids.Hex(10)), now
		if err = s.Store.InsertApplication(ctx, a); !errs.Is(err, errs.KindDuplicate) {
			break
		}
		if made, found := s.madeBefore(ctx, a); found {
			secret, err = s.ResetSecret(ctx, a.ID)
			return made, secret, err
		}
	}

	if err != nil {
		return Application{}, "", fmt.Errorf("create application: %w", err)
	}

	return a, secret, nil
}

// madeBefore returns the application that an earlier try of the same request created.
func (s *Service) madeBefore(ctx context.Context, a Application) (Application, bool) {
	if writetoken.FromContext(ctx) == nil {
		return Application{}, false
	}
	made, err := s.Store.Application(ctx, a.ID)
	return made, err == nil && made.ClientID == a.ClientID
}

// Get returns an application by id. It returns errs.NotFound if there is none.
func (s *Service) Get(ctx context.Context, id tenant.AppID) (Application, error) {
	return s.Store.Application(ctx, id)
}

// AddEnvironment adds a test environment and returns its id.
//
// Errors: errs.NotFound for the application; errs.Duplicate if another environment has the name; errs.Invalid for a
// name that is empty, over MaxName characters or "production", and when the application already has MaxEnvironments.
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

	// A retry of the request derives the id of the first try, so that it finds the environment created then.
	ids, _ := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	env := tenant.EnvID(ids.Hex(10))
	if other, taken := a.EnvironmentNamed(name); taken && other != env {
		return "", errs.Duplicate("an environment of this application is named %q already", name)
	}
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

// Overlap is how long the key before verifies what it has signed, after RotateKey.
const (
	DefaultOverlap = time.Hour      // longer than run tokens and tokens of administrators live
	MaxOverlap     = 24 * time.Hour // as long as depth headers live
)

// RotateKey gives the application a new signing key. The key before verifies what it has signed for the overlap, 0 to
// MaxOverlap; the one before that verifies nothing any more. It returns until when.
//
// Errors: errs.NotFound; errs.Conflict if another request rotates the key at the same time.
func (s *Service) RotateKey(ctx context.Context, appID tenant.AppID, overlap time.Duration) (until time.Time, err error) {
	if overlap < 0 || overlap > MaxOverlap {
		return until, errs.Invalid("overlap_minutes must be between 0 and %d", int(MaxOverlap/time.Minute))
	}
	a, err := s.Store.Application(ctx, appID)
	if err != nil {
		return until, err
	}
	until = s.Clock.Now().Add(overlap).Truncate(time.Second)
	return until, s.Store.ReplaceKey(ctx, a.ClientID.Handle(), a.SigningKey, newSigningKey(), until)
}

// All returns all applications of the platform, by id.
func (s *Service) All(ctx context.Context) ([]Application, error) { return s.Store.Applications(ctx) }

// Rename changes the name of an application. Errors: errs.NotFound, errs.Invalid as in Create.
func (s *Service) Rename(ctx context.Context, appID tenant.AppID, name string) (Application, error) {
	if err := checkName("name", name); err != nil {
		return Application{}, err
	}
	a, err := s.Store.Application(ctx, appID)
	if err != nil {
		return Application{}, err
	}
	a.Name = name
	return a, s.Store.Rename(ctx, a.ClientID.Handle(), name)
}

// RevokeTokens revokes all tokens of the client. Errors: errs.NotFound.
func (s *Service) RevokeTokens(ctx context.Context, appID tenant.AppID) error {
	a, err := s.Store.Application(ctx, appID)
	if err != nil {
		return err
	}
	return s.Store.RevokeAll(ctx, a.ClientID.Handle())
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
