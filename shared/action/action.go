// Package action does what triggers ask for. A run is worked on until it has succeeded or failed for good; its effect
// happens once, however often somebody is asked for it.
package action

import (
	"context"

	"minicloud/shared/trigger"
)

// Work is one attempt at a run.
type Work struct {
	Run     trigger.Run     // its event is whole
	Events  []trigger.Event // of a batch, the oldest first; nil for a run of one event
	Trigger trigger.Trigger // as it stands now, or stood when it was deleted
	Action  trigger.Action
	Attempt int // 1 is the first
}

// Doer does one type of action.
//
// The same work may come again after a crash, or be under way twice at once: what it does must happen once. An error
// is tried again by the schedule of its type of action unless it is a Failure that says otherwise.
type Doer interface {
	Do(ctx context.Context, w Work) (Result, error)
}

// Result is what the log keeps of an attempt, also of one that failed.
type Result struct {
	StatusCode int    // of an answer by HTTP
	Response   string // the first trigger.MaxResponse bytes of what was answered
}
