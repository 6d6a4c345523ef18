// Package smscode verifies phone numbers: it sends a code to a number, and whoever enters the code has the phone.
//
//	Send ─► a code of 6 digits, valid for 10 minutes; it replaces any earlier code
//	Verify ─► correct: the code is spent;  wrong 5 times: the code is void
//
// The store has only the HMAC of a code. Each code has its own HMAC key, sealed by KMS, so that a reader of the store
// cannot try all million codes. Callers do not learn why a code is rejected.
package smscode

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/message/messaging"
	"minicloud/shared/secret/sealed"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/sms"
	"minicloud/shared/user"
	"minicloud/shared/user/identifier"
	"minicloud/shared/user/login"
)

// MaxTries is the number of tries after which a code is void.
const MaxTries = 5

// MaxPerAddress is the number of codes that end users at one address can have sent in an hour (C15).
const MaxPerAddress = 20

const (
	validFor = 10 * time.Minute
	digits   = 6
)

// Kept is a stored code.
type Kept struct {
	ID      string // id of the send request
	Phone   string // E.164
	User    user.ID
	Key     []byte // sealed HMAC key of Hash
	Hash    []byte
	Expires time.Time
	Spent   string // name of the Verify call that spent it, "" = not spent
}

// ProofKey returns the Key of the login.Proof that the code is.
func (k Kept) ProofKey() string { return "number#" + k.Phone }

// Store stores one code per number.
type Store interface {
	// PutCode stores a code; it replaces any earlier one.
	PutCode(ctx context.Context, scope tenant.Scope, k Kept) error
	// TryCode counts a try and returns the code. It returns errs.NotFound if there is no code, it has expired, or
	// MaxTries tries were made. A spent code is returned without counting.
	TryCode(ctx context.Context, scope tenant.Scope, phone string, now time.Time) (Kept, error)
	// SpendCode spends a code. It returns Proof.Refused if it was spent under another name or replaced.
	SpendCode(ctx context.Context, scope tenant.Scope, p login.Proof) error
}

// Codes sends and verifies codes. Each message is sent once: requests repeated under an Idempotency-Key do not send
// again. To send costs a read of the setting and one of the number's send times, the transaction that claims the
// message, two writes and a call of KMS. To verify costs two writes and a call of KMS.
type Codes struct {
	Settings sms.Settings
	Sender   sms.Sender
	Claims   sms.Claims
	Store    Store
	Users    user.Reader
	Attempts login.AttemptStore
	Keys     sealed.Keys
	// Phones converts a number to E.164; it returns errs.Invalid for the field phone. Production uses phone.Key.
	Phones func(number string) (string, error)
	Clock  clock.Clock
}

// Request is a request for a code.
type Request struct {
	Phone     string
	User      user.ID // the user to verify, 0 = any user
	Signature string  // see messaging.SMS.Choose
	// Address is that of an end user, whose requests are counted by it; "" = the application asks.
	Address string
}

// Send sends a code. It returns errs.Invalid for an invalid field, an incomplete sms-setting, or a number over its
// limit of one message a minute and ten a day, errs.TooMany if the SMS budget of the application or the codes of the
// address are used up, and errs.Conflict if it is unknown whether the message was sent.
func (s *Codes) Send(ctx context.Context, scope tenant.Scope, r Request) error {
	number, err := s.Phones(identifier.PlainPhone(r.Phone))
	if err != nil {
		return err
	}
	own, signature, err := s.setting(ctx, scope, r.Signature)
	if err != nil {
		return err
	}
	if err := s.known(ctx, scope, r.User); err != nil {
		return err
	}

	if err := s.countAddress(ctx, scope, r.Address); err != nil {
		return err
	}
	err = s.sendOnce(ctx, scope, Kept{Phone: number, User: r.User}, own, signature)
	// The number must wait, or the message was refused: nothing was sent. A lost count costs the address one code.
	if r.Address != "" && (errs.Is(err, errs.KindInvalid) || errs.Is(err, errs.KindTooMany)) {
		_ = s.Attempts.TakeBack(ctx, addressKey(scope, r.Address))
	}
	return err
}

// countAddress counts a code of an address. It returns errs.TooMany if the address has none left.
func (s *Codes) countAddress(ctx context.Context, scope tenant.Scope, address string) error {
	if address == "" {
		return nil
	}
	wait, err := s.Attempts.Attempt(ctx, addressKey(scope, address), MaxPerAddress, time.Hour, s.Clock.Now())
	if err == nil && wait > 0 {
		err = login.TooMany("codes from this address", wait)
	}
	return err
}

func addressKey(scope tenant.Scope, address string) string {
	return scope.String() + "#attempt#sms#" + login.Network(address)
}

// sendOnce sends a code once per Idempotency-Key.
func (s *Codes) sendOnce(ctx context.Context, scope tenant.Scope, k Kept, own messaging.SMS, signature string) error {
	k.ID = writetoken.Of(ctx, "sms-code")
	if k.ID == "" {
		k.ID = id.Hex(16) // not a repeatable request
	}
	claim := action.Claim{Run: "code-" + k.ID, To: k.Phone, Owner: id.Hex(8)}
	limited := func(sent []time.Time) time.Duration { return sms.Limit(sent, s.Clock.Now()) }
	state, wait, err := s.Claims.ClaimNumber(ctx, scope, claim, limited)
	switch {
	case err != nil || state == action.WasSent:
		return err
	case wait > 0:
		return tooMany(wait)
	case state == action.Claimed:
		state, err = action.Deliver(ctx, s.Claims, scope, claim, func(ctx context.Context) error {
			return s.send(ctx, scope, k, own, signature)
		})
	}
	if err != nil {
		return err
	}
	if state == action.Unknown {
		return errs.Conflict("it is unknown whether the code was sent: ask for another one in a minute")
	}
	return s.Claims.Sent(ctx, scope, claim)
}

// tooMany is the error of a number that must wait.
func tooMany(wait time.Duration) error {
	seconds := int((wait + time.Second - 1) / time.Second)
	return errs.Invalid("phone: a number gets one message a minute and 10 a day, the next in %d seconds", seconds)
}

// send generates a code, stores its hash and sends it. An errs.Error means that nothing was sent.
func (s *Codes) send(ctx context.Context, scope tenant.Scope, k Kept, own messaging.SMS, signature string) error {
	code, err := draw()
	if err != nil {
		return action.Unsent(err)
	}
	text, err := text(own, signature, code)
	if err != nil {
		return err
	}

	// A plain hash of six digits is found by trying all codes, so the hash has a key that only KMS can decrypt.
	key, sealed, err := s.Keys.NewKey(ctx, bound(scope, k))
	if err != nil {
		return action.Unsent(err)
	}
	k.Key, k.Hash, k.Expires = sealed, hash(key, scope, k.Phone, code), s.Clock.Now().Add(validFor)
	if err := s.Store.PutCode(ctx, scope, k); err != nil {
		return action.Unsent(err)
	}
	return s.Sender.Send(ctx, sms.Message{Scope: scope, Budget: own.DailyBudget, Number: k.Phone, Text: text})
}

// Verify checks the code that was sent to a number, and spends it. It returns errs.Invalid for an invalid field, and
// the same errs.Invalid for a code that is wrong, expired, spent, void or bound to another user.
func (s *Codes) Verify(ctx context.Context, scope tenant.Scope, phone, code string, u user.ID) error {
	number, err := s.Phones(identifier.PlainPhone(phone))
	if err != nil {
		return err
	}
	if err := s.known(ctx, scope, u); err != nil {
		return err
	}
	proof, spent, err := s.check(ctx, scope, number, code, u)
	if err != nil || spent {
		return err
	}
	return s.Store.SpendCode(ctx, scope, proof)
}

// check counts a try of a code and returns the proof that it is, which the caller must spend. spent reports that an
// earlier try of the same request has done so. Errors are those of Verify.
func (s *Codes) check(
	ctx context.Context, scope tenant.Scope, number, code string, u user.ID,
) (p login.Proof, spent bool, err error) {
	if n, err := strconv.Atoi(code); err != nil || n < 0 || len(code) != digits {
		return p, false, errs.Invalid("code must be the %d digits of the message", digits)
	}
	k, err := s.Store.TryCode(ctx, scope, number, s.Clock.Now())
	if errs.Is(err, errs.KindNotFound) {
		return p, false, errWrong
	}
	if err != nil {
		return p, false, err
	}
	p = login.Proof{Key: k.ProofKey(), ID: k.ID, By: writetoken.Of(ctx, "verify"), Refused: errWrong}
	if k.Spent != "" && k.Spent != p.By {
		return p, false, errWrong
	}

	key, err := s.Keys.OpenKey(ctx, bound(scope, k), k.Key)
	if err != nil {
		return p, false, err
	}
	right := hmac.Equal(k.Hash, hash(key, scope, number, code))
	if !right || u != 0 && k.User != 0 && u != k.User {
		return p, false, errWrong
	}
	if p.By == "" {
		p.By = id.Hex(16) // not a repeatable request
	}
	return p, k.Spent != "", nil
}

// errWrong is the error of every rejected code. It does not reveal the reason.
var errWrong = errs.Invalid("code is wrong or has expired")

// known returns errs.Invalid if a user does not exist; 0 means any user.
func (s *Codes) known(ctx context.Context, scope tenant.Scope, u user.ID) error {
	if u == 0 {
		return nil
	}
	_, err := s.Users.Profile(ctx, scope, u, "id")
	if errs.Is(err, errs.KindNotFound) {
		return errs.Invalid("user_id: there is no such user")
	}
	return err
}

// bound returns the encryption context of a code's key. It must not contain the phone, because KMS logs the context.
func bound(scope tenant.Scope, k Kept) string { return scope.String() + "#sms-code#" + k.ID }

// hash returns the HMAC of a code. It covers the environment and the number, so that a code cannot be moved to another.
func hash(key []byte, scope tenant.Scope, number, code string) []byte {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s\n%s\n%s", scope, number, code)
	return mac.Sum(nil)
}

// draw returns a random code. The first digit is not 0, because callers may write codes as numbers.
func draw() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(900_000))
	if err != nil {
		return "", fmt.Errorf("draw a code: %w", err)
	}
	return strconv.FormatInt(n.Int64()+100_000, 10), nil
}
