package user

import (
	"context"

	"minicloud/shared/errs"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/retry"
	"minicloud/shared/secret/password"
	"minicloud/shared/tenant"
	"minicloud/shared/user/identifier"
)

// Account is the login information of a user (contract, User login information). Every user has one; it is empty until
// a value is set.
type Account struct {
	UserID        ID
	Username      string // as entered, "" = none; unique by Fold
	Email         string // as entered, lower-case if an end user entered it; "" = none; unique by Fold
	EmailVerified bool
	Phone         string // as entered, without separators; "" = none
	PhoneVerified bool
	PhoneKey      string // E.164 of Phone, unique; "" also for a phone set before phones were unique
	Password      password.Hash
	Providers     string // JSON of Draft.Providers, "" = none; its identities are unique
	Temporary     bool   // logged in anonymously, and has no login of their own (C9)
	Blocked       bool   // by an administrator: every login is refused (C40)
	ClosedAt      int64  // Unix seconds when the user closed the account, 0 = open (C41)
	// Generation is that of the account's sessions: raising it ends all of them.
	Generation int64
	UpdatedAt  int64 // Unix seconds
	Revision   int64 // counts changes; 0 = not stored yet
	// Tokens are the write tokens of changes with an Idempotency-Key (D8: each happens once).
	Tokens writetoken.List
}

// AccountStore stores accounts and the unique usernames and emails. Reads are consistent.
type AccountStore interface {
	// Account returns the user's account, which is empty if it was never written.
	Account(ctx context.Context, scope tenant.Scope, id ID) (Account, error)
	// ManyAccounts returns the accounts of several users.
	ManyAccounts(ctx context.Context, scope tenant.Scope, ids []ID) (map[ID]Account, error)
	// Owner returns the user that has a name, 0 if no user has it.
	Owner(ctx context.Context, scope tenant.Scope, name identifier.Name) (ID, error)
	// ReplaceAccount replaces old by next, and claims and frees their Names in the same transaction. It returns
	// errs.Duplicate, which names the value that another user has, and errs.Conflict if the stored account is not old.
	ReplaceAccount(ctx context.Context, scope tenant.Scope, old, next Account) error
	// DeleteConsents deletes the form ids and subscriptions of a user (package consent).
	DeleteConsents(ctx context.Context, scope tenant.Scope, id ID) error
}

// Edit is a change of one value of an account: the zero Edit keeps it, a nil Value resets it.
type Edit struct {
	Given bool
	Value *string
}

// To returns the Edit that sets a value.
func To(value string) Edit { return Edit{Given: true, Value: &value} }

// AccountChange is a change of login information (endpoint 19).
type AccountChange struct {
	Username    Edit
	Email       Edit
	Phone       Edit
	NewPassword Edit // cannot be reset
}

// Account returns the user's login information. It returns errs.NotFound for an unknown user.
func (s *Service) Account(ctx context.Context, scope tenant.Scope, id ID) (Account, error) {
	if err := s.exists(ctx, scope, id); err != nil {
		return Account{}, err
	}
	return s.Accounts.Account(ctx, scope, id)
}

// ChangeAccount changes login information (endpoint 19, D30). A new email or phone is unverified; an unchanged one
// keeps its state.
//
// Errors: errs.Invalid, which names the invalid value; errs.Duplicate, which names the value that another user has;
// errs.NotFound for an unknown user.
func (s *Service) ChangeAccount(ctx context.Context, scope tenant.Scope, id ID, change AccountChange) (Account, error) {
	if err := s.check(&change); err != nil {
		return Account{}, err
	}
	if err := s.exists(ctx, scope, id); err != nil {
		return Account{}, err
	}
	// Hash once, outside the retry loop of EditAccount: hashing is slow by design.
	apply, err := s.Changer(ctx, change)
	if err != nil {
		return Account{}, err
	}
	return s.EditAccount(ctx, scope, id, apply)
}

// Changer validates a change, hashes its password and returns the function that applies it to an account. A new
// password ends the sessions of the account. Errors are those of ChangeAccount.
func (s *Service) Changer(ctx context.Context, change AccountChange) (func(*Account), error) {
	if err := s.check(&change); err != nil {
		return nil, err
	}
	var hash password.Hash
	if change.NewPassword.Given {
		var err error
		if hash, err = s.Passwords.Hash(ctx, *change.NewPassword.Value); err != nil {
			return nil, err
		}
	}
	return func(a *Account) {
		s.apply(change, a)
		if hash != "" {
			a.Password = hash
			a.Generation++
		}
	}, nil
}

// Verify marks an email or phone as verified after a code sent to it was confirmed. It returns errs.Invalid if the user
// no longer has it.
func (s *Service) Verify(ctx context.Context, scope tenant.Scope, id ID, emailOrPhone string) (Account, error) {
	account, err := s.EditAccount(ctx, scope, id, func(a *Account) {
		a.EmailVerified = a.EmailVerified || a.Email != "" && identifier.Fold(a.Email) == identifier.Fold(emailOrPhone)
		a.PhoneVerified = a.PhoneVerified || s.samePhone(a.Phone, emailOrPhone)
	})
	email := account.EmailVerified && identifier.Fold(account.Email) == identifier.Fold(emailOrPhone)
	phone := account.PhoneVerified && s.samePhone(account.Phone, emailOrPhone)
	if err == nil && !email && !phone {
		err = errs.Invalid("the user has no such email or phone")
	}
	return account, err
}

// EditAccount applies edit to the stored account, and again after a conflict with another writer. An edit without
// effect writes nothing.
func (s *Service) EditAccount(ctx context.Context, scope tenant.Scope, id ID, edit func(*Account)) (Account, error) {
	return s.EditAccountBy(ctx, scope, id, func(a *Account) error {
		edit(a)
		return nil
	}, func(old, next Account) error { return s.Accounts.ReplaceAccount(ctx, scope, old, next) })
}

// EditAccountBy is EditAccount for an edit that may fail and a caller that stores the account with other changes.
// replace must return errs.Conflict if the stored account is not old.
func (s *Service) EditAccountBy(
	ctx context.Context, scope tenant.Scope, id ID, edit func(*Account) error, replace func(old, next Account) error,
) (Account, error) {
	var next Account
	token := writetoken.Of(ctx, "account", string(id.Row()))
	err := retry.Writes.Do(ctx, retry.OnConflict, func(int) error {
		old, err := s.Accounts.Account(ctx, scope, id)
		if err != nil {
			return err
		}

		next = old
		// An earlier try of the same request made this change; making it again could undo a later change.
		if old.Tokens.Has(token) {
			return nil
		}
		if err := edit(&next); err != nil || next == old {
			return err
		}
		next.UpdatedAt, next.Revision = s.Clock.Now().Unix(), old.Revision+1
		next.Tokens = old.Tokens.With(token, s.Clock.Now())
		return replace(old, next)
	})
	if err != nil {
		return Account{}, err
	}
	return next, nil
}

// check validates the values before anything is read.
func (s *Service) check(c *AccountChange) error {
	if c.Phone.Value != nil {
		plain := identifier.PlainPhone(*c.Phone.Value)
		c.Phone.Value = &plain
		if _, err := s.phoneKey(plain); err != nil {
			return err
		}
	}

	if c.Username.Value != nil {
		if err := identifier.CheckUsername(*c.Username.Value); err != nil {
			return err
		}
	}

	if c.Email.Value != nil {
		if err := identifier.CheckEmail(*c.Email.Value); err != nil {
			return err
		}
	}

	if c.NewPassword.Given && c.NewPassword.Value == nil {
		return errs.Invalid("new_password cannot be reset, give another one")
	}

	return nil
}

// apply sets the values, which check has validated.
func (s *Service) apply(c AccountChange, a *Account) {
	if c.Username.Given {
		a.Username = c.Username.text()
	}
	if email := c.Email.text(); c.Email.Given {
		a.EmailVerified = a.EmailVerified && email != "" && identifier.Fold(email) == identifier.Fold(a.Email)
		a.Email = email
	}
	if phone := c.Phone.text(); c.Phone.Given {
		a.PhoneVerified = a.PhoneVerified && s.samePhone(phone, a.Phone)
		a.Phone, a.PhoneKey = phone, ""
		if phone != "" {
			a.PhoneKey, _ = s.phoneKey(phone) // check has parsed it
		}
	}
}

func (e Edit) text() string {
	if e.Value == nil {
		return ""
	}
	return *e.Value
}

// samePhone reports whether a and b are the same phone number, in any notation.
func (s *Service) samePhone(a, b string) bool {
	x, _ := s.PhoneOf(a)
	y, err := s.PhoneOf(b)
	return err == nil && x.Key == y.Key
}

func (s *Service) phoneKey(number string) (string, error) {
	if s.Phones == nil {
		return "", errs.Invalid("phone cannot be set here")
	}
	return s.Phones(number)
}
