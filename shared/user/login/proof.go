package login

import (
	"context"

	"minicloud/shared/errs"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
	"minicloud/shared/user/identifier"
)

// Proof is a stored one-time secret that was told to a phone or a mailbox. A change spends it in its own transaction:
// of concurrent changes one happens, and a crash leaves either both done or neither.
type Proof struct {
	Key string // of the secret within its environment
	ID  string // of the message that told the secret; a later message replaces both
	By  string // the request that spends it
	// Refused is returned if another request has spent the secret, or a later message has replaced it.
	Refused error
}

// ProvenPhone is a phone number whose owner is here.
type ProvenPhone struct {
	Name identifier.Name
	set  func(*user.Account)
}

// ProvenPhone returns errs.Invalid for a text that is no phone number.
func (s *Service) ProvenPhone(ctx context.Context, number string) (p ProvenPhone, err error) {
	if p.Name, err = s.Users.PhoneOf(number); err != nil {
		return p, err
	}
	p.set, err = s.Users.Changer(ctx, user.AccountChange{Phone: user.To(number)})
	return p, err
}

// Give gives the number to an account, as verified. known reports that the owner has proven otherwise that the account
// is theirs.
//
// An account that has the number unverified may be that of somebody who entered the number of another person and waits for
// its owner. So its owner takes it over: every other way into it ends (decision 0156).
func (p ProvenPhone) Give(a *user.Account, known bool) {
	if p.unverified(*a) && !known {
		*a = a.Emptied()
	}
	if a.PhoneKey != p.Name.Key {
		p.set(a)
	}
	a.PhoneVerified = true
}

// Mistaken reports whether an account has the number by mistake: its user has not verified it, but proved an e-mail or an
// identity. Such an account keeps everything but the number (decision 0187).
func (p ProvenPhone) Mistaken(a user.Account) bool { return p.unverified(a) && a.Proven() }

func (p ProvenPhone) unverified(a user.Account) bool {
	return a.PhoneKey == p.Name.Key && !a.PhoneVerified
}

// EnterByPhone logs in the user of a phone number whose owner is here, or creates one. An account that has the number
// unverified is taken over, or loses the number, see ProvenPhone, unless the caller has a session of it. Errors are those
// of Enter, and errs.Invalid for a text that is no phone number.
func (s *Service) EnterByPhone(ctx context.Context, scope tenant.Scope, number string, in Arrival) (Login, error) {
	phone, err := s.ProvenPhone(ctx, number)
	if err != nil {
		return Login{}, err
	}
	known := func(a user.Account) bool { return in.Before != nil && user.ID(in.Before.User) == a.UserID }
	in.Names = []identifier.Name{phone.Name}
	in.Mistaken = func(a user.Account) (bool, error) { return phone.Mistaken(a) && !known(a), nil }
	in.Account = func(a *user.Account) error {
		phone.Give(a, known(*a))
		return nil
	}
	return s.Enter(ctx, scope, in)
}

// VerifyPhone marks the phone of a user as verified. number is the one that was proven.
//
// Errors: errs.Invalid if the user has another phone by now; the error of the proof if it was spent.
func (s *Service) VerifyPhone(
	ctx context.Context, scope tenant.Scope, id user.ID, number string, proof *Proof,
) (user.Profile, error) {
	phone, err := s.ProvenPhone(ctx, number)
	if err != nil {
		return nil, err
	}
	return s.Amend(ctx, scope, id, Arrival{Proof: proof, Account: func(a *user.Account) error {
		if own, err := s.Users.PhoneOf(a.Phone); err != nil || own.Key != phone.Name.Key {
			return errs.Invalid("the user has another phone by now: ask for a new code")
		}
		phone.Give(a, true)
		return nil
	}})
}

// TakeOverEmail gives an account to the owner of its address, who has not made it: somebody else registered with an
// address that is not theirs. Every other way into it ends, as for phones (ProvenPhone), and the address is verified.
// If somebody has proven to own the account, by a phone or an identity, it only loses the address, which was a mistake
// then.
func TakeOverEmail(a *user.Account) {
	if a.Proven() {
		a.Email, a.EmailVerified = "", false
		return
	}
	address := a.Email
	*a = a.Emptied()
	a.Email, a.EmailVerified = address, true
}
