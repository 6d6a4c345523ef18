// Package consent stores what lets an application send template messages to a user (contract, Actions: Template message;
// D42). A vendor takes a message only where the user has done something before.
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

// Kind says where a form id comes from.
type Kind string

// The kinds.
const (
	Form    Kind = "form"    // a form was submitted
	Payment Kind = "payment" // something was paid
)

// sends is how many messages a form id is good for (contract, Template message). tpay takes none for payments.
var sends = map[messaging.Vendor]map[Kind]int{
	messaging.Chat: {Form: 1, Payment: 3},
	messaging.Alt:  {Form: 3, Payment: 3},
	messaging.Tpay: {Form: 1},
}

// validFor is how long a form id can be used (contract: 7 days from submission).
const validFor = 7 * 24 * time.Hour

// maxFormID is the most bytes of a form id.
const maxFormID = 256

// FormID lets its user be written to. It is for the user who submitted the form, and nobody else.
type FormID struct {
	User    user.ID
	Vendor  messaging.Vendor
	Kind    Kind
	ID      string
	Sends   int      // how many messages it was good for
	Spent   []string // those that have been spent on messages, by their names
	Expires time.Time
}

// Left is how many messages it is good for still.
func (f FormID) Left() int { return max(f.Sends-len(f.Spent), 0) }

// FormIDStore remembers form ids.
type FormIDStore interface {
	// Insert keeps a form id and returns it; one that is there already, spent or not, stays and is returned as it is.
	Insert(ctx context.Context, scope tenant.Scope, f FormID) (FormID, error)
	// Of returns the form ids of a user that have not expired, of one vendor, or of all where v is "".
	Of(ctx context.Context, scope tenant.Scope, u user.ID, v messaging.Vendor, now time.Time) ([]FormID, error)
	// Spend takes one message of a form id, errs.Conflict where none is left. The same name takes it once.
	Spend(ctx context.Context, scope tenant.Scope, f FormID, name string, now time.Time) error
	// Return gives back what that name has taken: nothing was sent.
	Return(ctx context.Context, scope tenant.Scope, f FormID, name string) error
	// Void notes that the vendor takes no more messages for it.
	Void(ctx context.Context, scope tenant.Scope, f FormID) error
}

// FormIDs collects form ids.
type FormIDs struct {
	Store FormIDStore
	Users user.Reader
	Clock clock.Clock
}

// Add keeps a form id that a user has just submitted, and returns it as it is kept: repeats count once. errs.Invalid
// names the field that is wrong, errs.NotFound says that there is no such user.
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
		// Form ids of simulators have spaces: "the formId is a mock one".
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

// Counts are how many messages can be sent to a user, by vendor and kind of form id.
type Counts map[messaging.Vendor]map[Kind]int

// Count returns how many messages the form IDs of a user allow now. errs.NotFound for an unknown user.
func (s *FormIDs) Count(ctx context.Context, scope tenant.Scope, u user.ID) (Counts, error) {
	if _, err := s.Users.Profile(ctx, scope, u, "id"); err != nil {
		return nil, err
	}
	kept, err := s.Store.Of(ctx, scope, u, "", s.Clock.Now())
	if err != nil {
		return nil, err
	}

	counts := Counts{}
	// The response lists every vendor and kind, also with 0.
	for _, v := range messaging.Vendors {
		counts[v] = map[Kind]int{Form: 0, Payment: 0}
	}
	for _, f := range kept {
		counts[f.Vendor][f.Kind] += f.Left()
	}
	return counts, nil
}

// AnyKind is the source of form ids that takes both kinds (G6: form_id_source).
const AnyKind = "all"

// Usable returns the form IDs of a user that a message can use, the next to expire first. name identifies the message;
// form IDs that it has used before are included. source is a Kind or AnyKind.
func (s *FormIDs) Usable(
	ctx context.Context, scope tenant.Scope, u user.ID, v messaging.Vendor, source, name string,
) ([]FormID, error) {
	kept, err := s.Store.Of(ctx, scope, u, v, s.Clock.Now())
	if err != nil {
		return nil, err
	}

	usable := slices.DeleteFunc(kept, func(f FormID) bool {
		// A retried message uses the same form ID again, or one message would use two.
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
