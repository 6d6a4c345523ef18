// Package consent stores the permissions of users to receive template messages (contract, Actions: Template message;
// D42). Vendors accept a message only after an action of its user.
//
//	FormID    proves that the user submitted a form or paid; spent nearest expiry first     form_id.go
//	Ticket    counts the subscriptions of a user to the messages of a template              ticket.go
package consent

import (
	"context"
	"slices"
	"strings"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/errs"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// Kind is the origin of a form id.
type Kind string

// The kinds.
const (
	Form    Kind = "form"    // the user submitted a form
	Payment Kind = "payment" // the user paid
)

// sends is the number of messages that a form id allows (contract, Template message). tpay allows none for
// payments.
var sends = map[messaging.Vendor]map[Kind]int{
	messaging.Chat: {Form: 1, Payment: 3},
	messaging.Alt:  {Form: 3, Payment: 3},
	messaging.Tpay: {Form: 1},
}

// validFor is the lifetime of a form id (contract: 7 days from submission).
const validFor = 7 * 24 * time.Hour

// maxFormID is the maximum length of a form id, in bytes.
const maxFormID = 256

// FormID allows messages to the user who submitted the form, and to no other user.
type FormID struct {
	User    user.ID
	Vendor  messaging.Vendor
	Kind    Kind
	ID      string
	Sends   int      // messages allowed in total
	Spent   []string // names of the messages sent with it
	Expires time.Time
}

// Left returns the number of messages still allowed.
func (f FormID) Left() int { return max(f.Sends-len(f.Spent), 0) }

// FormIDStore stores form ids.
type FormIDStore interface {
	// Insert adds a form id and returns it; an existing one, spent or not, is kept and returned.
	Insert(ctx context.Context, scope tenant.Scope, f FormID) (FormID, error)
	// Of returns the unexpired form ids of a user, of one vendor, or of all if v is "".
	Of(ctx context.Context, scope tenant.Scope, u user.ID, v messaging.Vendor, now time.Time) ([]FormID, error)
	// Spend uses a form id for the message name. It returns errs.Conflict if no message is left. A repeated name counts
	// once.
	Spend(ctx context.Context, scope tenant.Scope, f FormID, name string, now time.Time) error
	// Return undoes Spend of a message that was not sent.
	Return(ctx context.Context, scope tenant.Scope, f FormID, name string) error
	// Void marks a form id that the vendor no longer accepts.
	Void(ctx context.Context, scope tenant.Scope, f FormID) error
}

// FormIDs adds and counts form ids.
type FormIDs struct {
	Store FormIDStore
	Users user.Reader
	Clock clock.Clock
}

// Add stores a form id that a user has just submitted and returns the stored one: duplicates count once. It returns
// errs.Invalid, which names the invalid field, and errs.NotFound for an unknown user.
func (s *FormIDs) Add(
	ctx context.Context, scope tenant.Scope, u user.ID, v messaging.Vendor, kind Kind, id string,
) (FormID, error) {
	switch {
	case sends[v] == nil:
		return FormID{}, errs.Invalid("vendor must be one of chat, alt, tpay")
	case kind != Form && kind != Payment:
		return FormID{}, errs.Invalid("kind must be one of form, payment")
	case sends[v][kind] == 0:
		return FormID{}, errs.Invalid("kind: %s takes no form ids of payments", v)
	case id == "" || len(id) > maxFormID || strings.ContainsFunc(id, notOfFormID):
		// Form ids of simulators contain spaces: "the formId is a mock one".
		return FormID{}, errs.Invalid("form_id must be that of a real device, 1 to %d characters without spaces", maxFormID)
	}
	if _, err := s.Users.Profile(ctx, scope, u, "id"); err != nil {
		return FormID{}, err
	}

	expires := s.Clock.Now().Add(validFor).Truncate(time.Second)
	return s.Store.Insert(ctx, scope, FormID{
		User: u, Vendor: v, Kind: kind, ID: id, Sends: sends[v][kind], Expires: expires,
	})
}

func notOfFormID(r rune) bool { return r <= ' ' || r > '~' }

// checkText returns errs.Invalid, which names the field, for a text with spaces or other than 1 to most characters.
func checkText(field, text string, most int) error {
	if text == "" || len(text) > most || strings.ContainsFunc(text, notOfFormID) {
		return errs.Invalid("%s must be 1 to %d characters without spaces", field, most)
	}
	return nil
}

// Counts is the number of messages that can be sent to a user, by vendor and kind of form id.
type Counts map[messaging.Vendor]map[Kind]int

// Count returns how many messages the form ids of a user allow now. It returns errs.NotFound for an unknown user.
func (s *FormIDs) Count(ctx context.Context, scope tenant.Scope, u user.ID) (Counts, error) {
	if _, err := s.Users.Profile(ctx, scope, u, "id"); err != nil {
		return nil, err
	}
	kept, err := s.Store.Of(ctx, scope, u, "", s.Clock.Now())
	if err != nil {
		return nil, err
	}

	counts := Counts{}
	// The response lists every vendor and kind, including those with 0.
	for _, v := range messaging.Vendors {
		counts[v] = map[Kind]int{Form: 0, Payment: 0}
	}
	for _, f := range kept {
		counts[f.Vendor][f.Kind] += f.Left()
	}
	return counts, nil
}

// AnyKind is the form_id_source for form ids of both kinds (G6).
const AnyKind = "all"

// Usable returns the form ids of a user that a message can use, earliest expiry first. name identifies the message;
// form ids that it has already used are included. source is a Kind or AnyKind.
func (s *FormIDs) Usable(
	ctx context.Context, scope tenant.Scope, u user.ID, v messaging.Vendor, source, name string,
) ([]FormID, error) {
	kept, err := s.Store.Of(ctx, scope, u, v, s.Clock.Now())
	if err != nil {
		return nil, err
	}

	usable := slices.DeleteFunc(kept, func(f FormID) bool {
		// A retried message must reuse its form id, or one message would spend two.
		spendable := f.Left() > 0 || f.Sends > 0 && slices.Contains(f.Spent, name)
		return !spendable || source != AnyKind && string(f.Kind) != source
	})
	slices.SortFunc(usable, func(a, b FormID) int {
		if c := a.Expires.Compare(b.Expires); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return usable, nil
}
