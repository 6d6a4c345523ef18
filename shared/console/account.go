package console

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/cases"

	"minicloud/shared/app"
	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/retry"
	"minicloud/shared/secret/password"
	"minicloud/shared/tenant"
)

// The bounds of an account's texts, in characters.
const (
	MaxName     = 64
	MaxEmail    = 254
	MinPassword = 10
)

// MaxAccounts is how many accounts there can be: they are listed whole.
const MaxAccounts = 1000

// MaxApplications is how many applications an account that does not have all can name.
const MaxApplications = 100

// Account is one administrator of the platform.
type Account struct {
	ID    AccountID
	Email string // as given; unique by Fold
	Name  string
	Role  Role
	// AllApplications gives access to every application, also those made later. Without it only Applications count:
	// none is access to nothing.
	AllApplications bool
	Applications    []tenant.AppID
	Password        password.Hash
	CreatedAt       time.Time // ms
	// Revision counts the changes.
	Revision int64
}

// Administrator is the account as it acts.
func (a Account) Administrator() Administrator {
	return Administrator{
		ID: a.ID, Email: a.Email, Name: a.Name, Role: a.Role, AllApplications: a.AllApplications,
		Applications: a.Applications, Revision: a.Revision,
	}
}

// Fold returns an email as accounts are compared by it.
func Fold(email string) string { return cases.Fold().String(strings.TrimSpace(email)) }

// AccountStore remembers accounts. Every read is consistent.
type AccountStore interface {
	// Accounts returns all, the oldest first.
	Accounts(ctx context.Context) ([]Account, error)
	// Account returns one, errs.NotFound when there is none.
	Account(ctx context.Context, id AccountID) (Account, error)
	// ByEmail returns the one whose email is folded so, errs.NotFound when there is none.
	ByEmail(ctx context.Context, folded string) (Account, error)
	// InsertAccount adds one, errs.Duplicate when its email is taken. An account of that id is an earlier try: it stays
	// as it is when it was changed since.
	InsertAccount(ctx context.Context, a Account) error
	// ReplaceAccount puts next in the place of old, whose email is the same. errs.Conflict: it is not old any more, or
	// guard, if it is not 0, is no owner of all applications any more.
	ReplaceAccount(ctx context.Context, old, next Account, guard AccountID) error
	// DeleteAccount removes old with its sessions. Errors as in ReplaceAccount.
	DeleteAccount(ctx context.Context, old Account, guard AccountID) error
}

// Service is everything one can do with accounts and sessions.
type Service struct {
	Accounts  AccountStore
	Sessions  SessionStore
	Attempts  AttemptStore
	Passwords *password.Hasher
	Clock     clock.Clock
	IDs       *id.Source
}

// Draft is what an account is made of.
type Draft struct {
	Email, Name, Password string
	Role                  Role
	AllApplications       bool
	Applications          []tenant.AppID
}

// Create adds an account.
//
// Errors: errs.Invalid naming what is wrong, errs.Duplicate for an email that is taken.
func (s *Service) Create(ctx context.Context, d Draft) (Account, error) {
	if err := checkEmail(d.Email); err != nil {
		return Account{}, err
	}
	a := Account{
		Email: strings.TrimSpace(d.Email), Name: d.Name, Role: d.Role, AllApplications: d.AllApplications,
		Applications: sorted(d.Applications), Revision: 1,
	}
	if err := check(a); err != nil {
		return Account{}, err
	}
	hash, err := s.hash(ctx, "password", d.Password)
	if err != nil {
		return Account{}, err
	}

	there, err := s.Accounts.Accounts(ctx)
	if err != nil {
		return Account{}, err
	}
	// Two concurrent requests may exceed the limit by one, which does no harm.
	if len(there) >= MaxAccounts {
		return Account{}, errs.Invalid("the limit of %d accounts is reached", MaxAccounts)
	}

	ids, now := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	a.ID, a.Password, a.CreatedAt = AccountID(ids.New(now)), hash, now
	return a, s.Accounts.InsertAccount(ctx, a)
}

// Change is what to change of an account; nil keeps it. A list of applications is an end to access to all.
type Change struct {
	Name            *string
	Role            *Role
	AllApplications *bool
	Applications    *[]tenant.AppID
}

// Modify changes an account. Its sessions have the new role at once; its console tokens can no longer write.
//
// Errors: errs.NotFound; errs.Invalid for an invalid field, or if no owner of all applications would be left.
func (s *Service) Modify(ctx context.Context, id AccountID, c Change) (Account, error) {
	return s.edit(ctx, id, func(a *Account) error {
		if c.Name != nil {
			a.Name = *c.Name
		}
		if c.Role != nil {
			a.Role = *c.Role
		}
		if c.Applications != nil {
			a.AllApplications, a.Applications = false, sorted(*c.Applications)
		}
		if c.AllApplications != nil {
			a.AllApplications = *c.AllApplications
			// Accounts with all applications store no list, so that a later change does not revive an old one.
			if a.AllApplications && c.Applications == nil {
				a.Applications = nil
			}
		}
		return check(*a)
	})
}

// edit applies f to the current account, and again after a conflict with another writer.
func (s *Service) edit(ctx context.Context, id AccountID, f func(*Account) error) (Account, error) {
	var next Account
	err := retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		old, err := s.Accounts.Account(ctx, id)
		if err != nil {
			return err
		}
		next = old
		// f may change the list in place, and after a conflict it starts from the stored one.
		next.Applications = slices.Clone(old.Applications)
		if err := f(&next); err != nil {
			return err
		}

		next.Revision++
		guard, err := s.guard(ctx, old, next)
		if err != nil {
			return err
		}
		return s.Accounts.ReplaceAccount(ctx, old, next, guard)
	})
	return next, err
}

// guard returns an owner of all applications who must remain one while old stops being one, 0 where it does not.
func (s *Service) guard(ctx context.Context, old, next Account) (AccountID, error) {
	if old.Administrator().Everywhere() != nil || next.Administrator().Everywhere() == nil {
		return 0, nil
	}
	all, err := s.Accounts.Accounts(ctx)
	if err != nil {
		return 0, err
	}
	for _, a := range all {
		if a.ID != old.ID && a.Administrator().Everywhere() == nil {
			return a.ID, nil
		}
	}
	return 0, errs.Invalid("this is the last owner of all applications: add another one first")
}

// Delete removes an account and its sessions. Errors: errs.NotFound, errs.Invalid for the last owner.
func (s *Service) Delete(ctx context.Context, id AccountID) error {
	return retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		old, err := s.Accounts.Account(ctx, id)
		if err != nil {
			return err
		}
		guard, err := s.guard(ctx, old, Account{})
		if err != nil {
			return err
		}
		return s.Accounts.DeleteAccount(ctx, old, guard)
	})
}

// ChangePassword changes the password of the current account, which requires the old one, and ends its other sessions.
//
// Errors: errs.Invalid for a wrong or a bad password, errs.TooMany after too many wrong ones.
func (s *Service) ChangePassword(ctx context.Context, current Session, old, next string) error {
	a, err := s.Accounts.Account(ctx, current.Account)
	if err != nil {
		return err
	}
	if err := s.attempt(ctx, accountKey(Fold(a.Email)), AccountAttempts); err != nil {
		return err
	}
	matches, err := s.Passwords.Matches(ctx, a.Password, old)
	// An earlier attempt may have set the password and died before it ended the sessions.
	if err == nil && !matches {
		matches, err = s.Passwords.Matches(ctx, a.Password, next)
	}
	if err != nil {
		return err
	}
	if !matches {
		return errs.Invalid("old_password is incorrect")
	}

	if err := s.Attempts.Forget(ctx, accountKey(Fold(a.Email))); err != nil {
		return err
	}
	return s.setPassword(ctx, a.ID, next, current.Digest)
}

// ResetPassword sets another account's password and ends its sessions. Errors: errs.NotFound, errs.Invalid.
func (s *Service) ResetPassword(ctx context.Context, id AccountID, next string) error {
	return s.setPassword(ctx, id, next, "")
}

func (s *Service) setPassword(ctx context.Context, id AccountID, next string, keep app.Digest) error {
	hash, err := s.hash(ctx, "new_password", next)
	if err != nil {
		return err
	}
	if _, err := s.edit(ctx, id, func(a *Account) error { a.Password = hash; return nil }); err != nil {
		return err
	}
	return s.endSessions(ctx, id, keep)
}

// hash hashes a password of enough characters.
func (s *Service) hash(ctx context.Context, field, text string) (password.Hash, error) {
	if n := utf8.RuneCountInString(text); n < MinPassword || n > password.Max {
		return "", errs.Invalid("%s must have %d to %d characters", field, MinPassword, password.Max)
	}
	return s.Passwords.Hash(ctx, text)
}

func check(a Account) error {
	switch n := utf8.RuneCountInString(a.Name); {
	case strings.TrimSpace(a.Name) == "" || !utf8.ValidString(a.Name) || n > MaxName:
		return errs.Invalid("name must have 1 to %d characters", MaxName)
	case !a.Role.Valid():
		return errs.Invalid("role must be viewer, developer or owner")
	case a.AllApplications && len(a.Applications) > 0:
		return errs.Invalid("applications must be empty when all_applications is true")
	case len(a.Applications) > MaxApplications:
		return errs.Invalid("applications must be at most %d, or all_applications true", MaxApplications)
	}
	return nil
}

func checkEmail(email string) error {
	email = strings.TrimSpace(email)
	local, domain, ok := strings.Cut(email, "@")
	if !ok || local == "" || domain == "" || strings.Contains(domain, "@") || len(email) > MaxEmail ||
		!utf8.ValidString(email) || strings.ContainsAny(email, " \t\r\n<>,;\"") {
		return errs.Invalid("email must be an address such as ada@example.com")
	}
	return nil
}

// sorted returns the ids in order, each once.
func sorted(ids []tenant.AppID) []tenant.AppID {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}
