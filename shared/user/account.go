package user

import (
	"context"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/retry"
	"minicloud/shared/secret/password"
	"minicloud/shared/tenant"
)

// Account is how a user logs in (contract, User login information). Every user
// has one; it is empty until something is set.
type Account struct {
	UserID        ID
	Username      string // as given, "" = none; unique by Fold
	Email         string // as given, "" = none; unique by Fold
	EmailVerified bool
	Phone         string // as given without separators, "" = none
	PhoneVerified bool
	Password      password.Hash
	Providers     string // JSON of Draft.Providers, "" = none
	UpdatedAt     int64  // Unix seconds
	Revision      int64  // counts changes; 0 = not stored yet
	// Tokens are those of changes with an Idempotency-Key (D8: each happens once).
	Tokens writetoken.List
}

// AccountStore remembers accounts and whose a username or email is. Reads see
// every finished write.
type AccountStore interface {
	// Account returns the user's account; one never written is empty.
	Account(ctx context.Context, scope tenant.Scope, id ID) (Account, error)
	// ManyAccounts returns those of several users.
	ManyAccounts(ctx context.Context, scope tenant.Scope, ids []ID) (map[ID]Account, error)
	// ReplaceAccount puts next in the place of old, and claims and frees usernames
	// and emails in the same moment. errs.Duplicate names the one that is another
	// user's; errs.Conflict: the account is not old any more.
	ReplaceAccount(ctx context.Context, scope tenant.Scope, old, next Account) error
}

// Edit is what to do with one value of an account: the zero Edit keeps it, a
// nil Value resets it.
type Edit struct {
	Given bool
	Value *string
}

// To returns the Edit that sets a value.
func To(value string) Edit { return Edit{Given: true, Value: &value} }

// Reset returns the Edit that takes a value away.
func Reset() Edit { return Edit{Given: true} }

// AccountChange is a change of login information (endpoint 19).
type AccountChange struct {
	Username    Edit
	Email       Edit
	Phone       Edit
	NewPassword Edit // cannot be reset
}

// Account returns the user's login information, errs.NotFound for an unknown
// user.
func (s *Service) Account(ctx context.Context, scope tenant.Scope, id ID) (Account, error) {
	if err := s.exists(ctx, scope, id); err != nil {
		return Account{}, err
	}
	return s.Accounts.Account(ctx, scope, id)
}

// ChangeAccount changes login information (endpoint 19, D30). A new email or
// phone is not verified; the same one given again keeps what it is.
//
// Errors: errs.Invalid naming the value that is wrong, errs.Duplicate naming
// the one that is taken, errs.NotFound for an unknown user.
func (s *Service) ChangeAccount(
	ctx context.Context, scope tenant.Scope, id ID, change AccountChange,
) (Account, error) {
	if err := s.check(&change); err != nil {
		return Account{}, err
	}
	if err := s.exists(ctx, scope, id); err != nil {
		return Account{}, err
	}

	// Hashing is slow by design: it happens once, outside the retry loop of editAccount.
	var hash password.Hash
	if change.NewPassword.Given {
		var err error
		if hash, err = s.Passwords.Hash(ctx, *change.NewPassword.Value); err != nil {
			return Account{}, err
		}
	}

	return s.editAccount(ctx, scope, id, func(a *Account) {
		s.apply(change, a)
		if hash != "" {
			a.Password = hash
		}
	})
}

// Verify marks an email or phone as verified, if it is still the user's: what a
// code sent to it proves. errs.Invalid when it is not.
func (s *Service) Verify(ctx context.Context, scope tenant.Scope, id ID, emailOrPhone string) (Account, error) {
	account, err := s.editAccount(ctx, scope, id, func(a *Account) {
		a.EmailVerified = a.EmailVerified || a.Email != "" && Fold(a.Email) == Fold(emailOrPhone)
		a.PhoneVerified = a.PhoneVerified || s.samePhone(a.Phone, emailOrPhone)
	})
	email := account.EmailVerified && Fold(account.Email) == Fold(emailOrPhone)
	phone := account.PhoneVerified && s.samePhone(account.Phone, emailOrPhone)
	if err == nil && !email && !phone {
		err = errs.Invalid("the user has no such email or phone")
	}
	return account, err
}

// editAccount applies edit to the account as it is, again when another writer
// came in between. An edit without effect writes nothing.
func (s *Service) editAccount(ctx context.Context, scope tenant.Scope, id ID, edit func(*Account)) (Account, error) {
	var next Account
	token := writetoken.Of(ctx, "account", string(id.row()))
	err := retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		old, err := s.Accounts.Account(ctx, scope, id)
		if err != nil {
			return err
		}

		next = old
		// An earlier try of the same request has made this change; making it again could undo a later one.
		if old.Tokens.Has(token) {
			return nil
		}
		if edit(&next); next == old {
			return nil
		}
		next.UpdatedAt, next.Revision = s.Clock.Now().Unix(), old.Revision+1
		next.Tokens = old.Tokens.With(token, s.Clock.Now())
		return s.Accounts.ReplaceAccount(ctx, scope, old, next)
	})
	if err != nil {
		return Account{}, err
	}
	return next, nil
}

// check validates the values, before anything is read.
func (s *Service) check(c *AccountChange) error {
	if c.Phone.Value != nil {
		plain := plainPhone(*c.Phone.Value)
		c.Phone.Value = &plain
		if _, err := s.phoneKey(plain); err != nil {
			return err
		}
	}

	if c.Username.Value != nil {
		if err := checkUsername(*c.Username.Value); err != nil {
			return err
		}
	}

	if c.Email.Value != nil {
		if err := checkEmail(*c.Email.Value); err != nil {
			return err
		}
	}

	if c.NewPassword.Given && c.NewPassword.Value == nil {
		return errs.Invalid("new_password cannot be reset, give another one")
	}

	return nil
}

// apply sets the values; check was passed.
func (s *Service) apply(c AccountChange, a *Account) {
	if c.Username.Given {
		a.Username = c.Username.text()
	}
	if email := c.Email.text(); c.Email.Given {
		a.EmailVerified = a.EmailVerified && email != "" && Fold(email) == Fold(a.Email)
		a.Email = email
	}
	if phone := c.Phone.text(); c.Phone.Given {
		a.PhoneVerified = a.PhoneVerified && s.samePhone(phone, a.Phone)
		a.Phone = phone
	}
}

func (e Edit) text() string {
	if e.Value == nil {
		return ""
	}
	return *e.Value
}

// samePhone reports whether both are the same number, however it is written.
func (s *Service) samePhone(a, b string) bool {
	x, err := s.phoneKey(plainPhone(a))
	if err != nil {
		return false
	}
	y, err := s.phoneKey(plainPhone(b))
	return err == nil && x == y
}

func (s *Service) phoneKey(number string) (string, error) {
	if s.Phones == nil {
		return "", errs.Invalid("phone cannot be set here")
	}
	return s.Phones(number)
}
