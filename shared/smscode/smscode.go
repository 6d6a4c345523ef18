// Package smscode proves by a text message that somebody has a phone: a code goes to its number, and whoever tells it
// has the phone.
//
//	Send ─► a code of 6 digits, good for 10 minutes, in place of any before
//	Verify ─► right: it is spent;  wrong 5 times: it is void
//
// A code is kept as its HMAC. The key of that is drawn for each code and sealed by KMS: whoever reads the store cannot
// try the million codes that there are. Nobody is told why a code is not taken.
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
)

// MaxTries is how often a code can be told: then it is void.
const MaxTries = 5

const (
	validFor = 10 * time.Minute
	digits   = 6
)

// Kept is a code as it is stored.
type Kept struct {
	ID      string // names the sending
	Phone   string // E.164
	User    user.ID
	Key     []byte // of Hash, sealed
	Hash    []byte
	Expires time.Time
	Spent   string // by the Verify of that name, "" = not yet
}

// Store remembers one code for each number.
type Store interface {
	// PutCode keeps a code in place of any before.
	PutCode(ctx context.Context, scope tenant.Scope, k Kept) error
	// TryCode counts a try and returns the code. errs.NotFound where there is none, it has expired, or MaxTries are
	// over; one that is spent is returned, and nothing is counted.
	TryCode(ctx context.Context, scope tenant.Scope, phone string, now time.Time) (Kept, error)
	// SpendCode spends a code under a name, errs.NotFound where another has done so, or it is gone.
	SpendCode(ctx context.Context, scope tenant.Scope, k Kept, name string) error
}

// Codes sends and verifies codes, each message once: of a request that is repeated under its Idempotency-Key only the
// first try sends. A code costs a read of the setting and one of the number's times, the transaction that claims the
// message, two writes and a call of KMS; to verify it two writes and a call of KMS.
type Codes struct {
	Settings sms.Settings
	Sender   sms.Sender
	Claims   sms.Claims
	Store    Store
	Users    user.Reader
	Keys     sealed.Keys
	// Phones returns a number as E.164, errs.Invalid naming the field phone for what is none: phone.Key.
	Phones func(number string) (string, error)
	Clock  clock.Clock
}

// Request asks for a code.
type Request struct {
	Phone     string
	User      user.ID // whom it is for, 0 = whoever has the phone
	Signature string  // see messaging.SMS.Choose
}

// Send sends a code. errs.Invalid names the field that is wrong, says what the sms-setting lacks, or that the number
// has got too many messages: one a minute, ten a day. errs.Conflict says that it is unknown whether it was sent.
func (s *Codes) Send(ctx context.Context, scope tenant.Scope, r Request) error {
	number, err := s.Phones(r.Phone)
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

	name := writetoken.Of(ctx, "sms-code")
	if name == "" {
		name = id.Hex(16) // nobody repeats it
	}
	claim := action.Claim{Run: "code-" + name, To: number, Owner: id.Hex(8)}
	limited := func(sent []time.Time) time.Duration { return sms.Limit(sent, s.Clock.Now()) }
	state, wait, err := s.Claims.ClaimNumber(ctx, scope, claim, limited)
	switch {
	case err != nil || state == action.WasSent:
		return err
	case wait > 0:
		return tooMany(wait)
	case state == action.Claimed:
		state, err = action.Deliver(ctx, s.Claims, scope, claim, func(ctx context.Context) error {
			return s.send(ctx, scope, Kept{ID: name, Phone: number, User: r.User}, own, signature)
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

// tooMany says how long a number must be left alone.
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

	// Six digits are guessed from a plain hash in no time: the hash has a key that only KMS opens.
	key, sealed, err := s.Keys.NewKey(ctx, bound(scope, k))
	if err != nil {
		return action.Unsent(err)
	}
	k.Key, k.Hash, k.Expires = sealed, hash(key, scope, k.Phone, code), s.Clock.Now().Add(validFor)
	if err := s.Store.PutCode(ctx, scope, k); err != nil {
		return action.Unsent(err)
	}
	return s.Sender.Send(ctx, k.Phone, text)
}

// Verify takes the code that a number has got, and spends it. errs.Invalid names the field that is wrong, or says that
// it is not the code: wrong, expired, spent, void, or for another user than the one who is named, all alike.
func (s *Codes) Verify(ctx context.Context, scope tenant.Scope, phone, code string, u user.ID) error {
	number, err := s.Phones(phone)
	if err != nil {
		return err
	}
	if err := s.known(ctx, scope, u); err != nil {
		return err
	}
	if n, err := strconv.Atoi(code); err != nil || n < 0 || len(code) != digits {
		return errs.Invalid("code must be the %d digits of the message", digits)
	}

	k, err := s.Store.TryCode(ctx, scope, number, s.Clock.Now())
	if errs.Is(err, errs.KindNotFound) {
		return errWrong
	}
	if err != nil {
		return err
	}
	name := writetoken.Of(ctx, "verify")
	if k.Spent != "" && k.Spent != name {
		return errWrong
	}

	key, err := s.Keys.OpenKey(ctx, bound(scope, k), k.Key)
	if err != nil {
		return err
	}
	right := hmac.Equal(k.Hash, hash(key, scope, number, code))
	if !right || u != 0 && k.User != 0 && u != k.User {
		return errWrong
	}
	if k.Spent != "" { // by an earlier try of this request
		return nil
	}
	return s.spend(ctx, scope, k, name)
}

// errWrong is all that whoever tells a wrong code learns.
var errWrong = errs.Invalid("code is wrong or has expired")

func (s *Codes) spend(ctx context.Context, scope tenant.Scope, k Kept, name string) error {
	if name == "" {
		name = id.Hex(16) // nobody repeats it
	}
	err := s.Store.SpendCode(ctx, scope, k, name)
	if errs.Is(err, errs.KindNotFound) { // another one has told it at the same time
		return errWrong
	}
	return err
}

// known returns errs.Invalid for a user that there is not; 0 is nobody in particular.
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

// bound is what the key of a code opens for, and nothing else. It names no phone: whom KMS logs it for reads it.
func bound(scope tenant.Scope, k Kept) string { return scope.String() + "#sms-code#" + k.ID }

// hash is what is kept of a code: it is that of one number in one environment.
func hash(key []byte, scope tenant.Scope, number, code string) []byte {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s\n%s\n%s", scope, number, code)
	return mac.Sum(nil)
}

// draw draws a code. It begins with 1 to 9: callers may write it as a number.
func draw() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(900_000))
	if err != nil {
		return "", fmt.Errorf("draw a code: %w", err)
	}
	return strconv.FormatInt(n.Int64()+100_000, 10), nil
}
