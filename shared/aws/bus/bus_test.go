package bus

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"

	"minicloud/shared/errs"
)

// fakeBus refuses the entry of its first calls, or fails them.
type fakeBus struct {
	refuses int
	err     error
	calls   int
}

func (f *fakeBus) PutEvents(
	_ context.Context, in *eventbridge.PutEventsInput, _ ...func(*eventbridge.Options),
) (*eventbridge.PutEventsOutput, error) {
	if f.calls++; f.err != nil {
		return nil, f.err
	}
	if f.calls > f.refuses {
		return &eventbridge.PutEventsOutput{Entries: make([]types.PutEventsResultEntry, len(in.Entries))}, nil
	}
	failed := types.PutEventsResultEntry{ErrorCode: aws.String("InternalFailure")}
	return &eventbridge.PutEventsOutput{FailedEntryCount: 1, Entries: []types.PutEventsResultEntry{failed}}, nil
}

// TestPutsWhatTheBusLeft: an entry that a successful call left is put again, a limited number of times. The client has
// repeated a call that failed as a whole.
func TestPutsWhatTheBusLeft(t *testing.T) {
	for name, tt := range map[string]struct {
		fake  fakeBus
		calls int
		fails bool
	}{
		"taken at once":   {fakeBus{}, 1, false},
		"left twice":      {fakeBus{refuses: 2}, 3, false},
		"left every time": {fakeBus{refuses: 100}, 6, true},
		"a failed call":   {fakeBus{err: errors.New("throttled")}, 1, true},
	} {
		b := &Bus{Client: &tt.fake, Name: "minicloud"}
		err := b.Put(t.Context(), Payment, []byte(`{}`))
		if tt.fake.calls != tt.calls || errs.Is(err, errs.KindUnavailable) != tt.fails || (err != nil) != tt.fails {
			t.Errorf("%s: %v after %d calls, want %d", name, err, tt.fake.calls, tt.calls)
		}
	}
}
