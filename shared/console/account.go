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

// Length limits of an account's texts, in characters.
const (
	MaxName     = 64
	MaxEmail    = 254
	MinPassword = 10
)

// maxAccounts is the maximum number of accounts; lists of accounts have no pages.
const maxAccounts = 1000

// maxApplications is the maximum length of an account's list of applications.
const maxApplications = 100

// Account is one administrator of the platform.
type Account struct {
	ID    AccountID
	Email string // as entered; unique after Fold
	Name  string
	Role  Role
	// AllApplications gives access to every application, including those created later. Without it, Applications lists
	// the accessible ones; an empty list gives access to none.
	AllApplications bool
	Applications    []tenant.AppID
	Password        password.Hash
	CreatedAt       time.Time // ms
	// Revision counts the changes of the account.
	Revision int64
}

// Administrator returns the identity and the rights of the account.
func (a Account) Administrator() Administrator {
	return Administrator{
		ID: a.ID, Email: a.Email, Name: a.Name, Role: a.Role, AllApplications: a.AllApplications,
		Applications: a.Applications, Revision: a.Revision,
	}
}

// Fold returns the form of an email by which accounts are compared.
func Fold(email string) string { return cases.Fold().String(strings.TrimSpace(email)) }

// AccountStore stores accounts. Every read is consistent.
type AccountStore interface {
	// Accounts returns all accounts, oldest first.
	Accounts(ctx context.Context) ([]Account, error)
	// Account returns an account. It returns errs.NotFound if there is none.
	Account(ctx context.Context, id AccountID) (Account, error)
	// ByEmail returns the account with this folded email. It returns errs.NotFound if there is none.
	ByEmail(ctx context.Context, folded string) (Account, error)
	// InsertAccount adds an account. It returns errs.Duplicate if its email is taken. An existing account with the same
	// id was written by an earlier try and is kept, because it may have been changed since.
	InsertAccount(ctx context.Context, a Account) error
	// ReplaceAccount replaces old by next, which has the same email. It returns errs.Conflict if the stored account is
	// not old, or if guard, unless 0, is no longer an owner of all applications.
	ReplaceAccount(ctx context.Context, old, next Account, guard AccountID) error
	// DeleteAccount deletes old and its sessions. Errors as in ReplaceAccount.
	DeleteAccount(ctx context.Context, old Account, guard AccountID) error
}

// Service manages accounts and sessions.
type Service struct {
	Accounts  AccountStore
	Sessions  SessionStore
	Attempts  AttemptStore
	Passwords *password.Hasher
	Clock     clock.Clock
	IDs       *id.Source
}

// Draft has the values of a new account.
type Draft struct {
	Email, Name, Password string
	Role                  Role
	AllApplications       bool
	Applications          []tenant.AppID
}

// Create adds an account.
//
// Errors: errs.Invalid, which names the field; errs.Duplicate if the email is taken.
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
	// Two concurrent requests may exceed the limit by one, which is harmless.
	if len(there) >= maxAccounts {
		return Account{}, errs.Invalid("the limit of %d accounts is reached", maxAccounts)
	}

	ids, now := writetoken.IDs(ctx, s.IDs, s.Clock.Now())
	a.ID, a.Password, a.CreatedAt = AccountID(ids.New(now)), hash, now
	return a, s.Accounts.InsertAccount(ctx, a)
}

// Change has the new values of an account; nil keeps a value. A list of applications ends the access to all.
type Change struct {
	Name            *string
	Role            *Role
	AllApplications *bool
	Applications    *[]tenant.AppID
}

// Modify changes an account. Its sessions get the new role immediately; its current console tokens can no longer write.
//
// Errors: errs.NotFound; errs.Invalid for an invalid field, or if no owner of all applications would remain.
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
			// Clear the list, so that a later change does not restore an outdated one.
			if a.AllApplications && c.Applications == nil {
				a.Applications = nil
			}
		}
		return check(*a)
	})
}

// edit applies f to the stored account, and again after a conflict with another writer.
func (s *Service) edit(ctx context.Context, id AccountID, f func(*Account) error) (Account, error) {
	var next Account
	err := retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		old, err := s.Accounts.Account(ctx, id)
		if err != nil {
			return err
		}
		next = old
		// f may change the list in place; after a conflict it must start from the stored list.
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

// guard returns another owner of all applications if the change takes that role from old, else 0. The write requires
// that this account keeps the role. It returns errs.Invalid if old is the last such owner.
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

// Delete deletes an account and its sessions. Errors: errs.NotFound, errs.Invalid for the last owner of all
// applications.
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
// Errors: errs.Invalid for a wrong old password or an invalid new one; errs.TooMany after too many wrong ones.
func (s *Service) ChangePassword(ctx context.Context, current Session, old, next string) error {
	a, err := s.Accounts.Account(ctx, current.Account)
	if err != nil {
		return err
	}
	if err := s.attempt(ctx, accountKey(Fold(a.Email)), AccountAttempts); err != nil {
		return err
	}
	matches, err := s.Passwords.Matches(ctx, a.Password, old)
	// The new password is accepted, too: an earlier attempt may have stored it and died before it ended the sessions.
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

// hash checks the length of a password and hashes it.
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
	case len(a.Applications) > maxApplications:
		return errs.Invalid("applications must be at most %d, or all_applications true", maxApplications)
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

// sorted returns the ids in order, without duplicates.
func sorted(ids []tenant.AppID) []tenant.AppID {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}
