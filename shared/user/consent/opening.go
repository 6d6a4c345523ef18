package consent

import (
	"context"
	"time"

	"minicloud/shared/clock"
	"minicloud/shared/message/messaging"
	"minicloud/shared/tenant"
	"minicloud/shared/user"
)

// Opening reports that a user opened a message of a campaign. Owners choose the campaign's stats id and put it into the
// page of the message.
type Opening struct {
	User   user.ID
	Vendor messaging.Vendor
	Stats  string
}

// OpeningStore stores openings.
type OpeningStore interface {
	// AddOpening stores an opening until expires; a repeated one only moves the expiry.
	AddOpening(ctx context.Context, scope tenant.Scope, o Opening, expires time.Time) error
	// CountOpenings returns the number of users who opened a message, by vendor.
	CountOpenings(ctx context.Context, scope tenant.Scope, stats string) (map[messaging.Vendor]int, error)
}

// keepOpenings is how long openings are stored.
const keepOpenings = 90 * 24 * time.Hour

// maxStats is the maximum length of a stats id, in bytes.
const maxStats = 128

// Openings counts the users who open messages.
type Openings struct {
	Store OpeningStore
	Clock clock.Clock
}

// Add stores an opening, once per user. It returns errs.Invalid for a bad stats id.
func (s *Openings) Add(ctx context.Context, scope tenant.Scope, o Opening) error {
	if err := checkText("stats_id", o.Stats, maxStats); err != nil {
		return err
	}
	return s.Store.AddOpening(ctx, scope, o, s.Clock.Now().Add(keepOpenings))
}

// Count returns the number of users who opened a message, by vendor.
func (s *Openings) Count(ctx context.Context, scope tenant.Scope, stats string) (map[messaging.Vendor]int, error) {
	if err := checkText("stats_id", stats, maxStats); err != nil {
		return nil, err
	}
	return s.Store.CountOpenings(ctx, scope, stats)
}
