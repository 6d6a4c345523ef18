package load

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"minicloud/infra/lab/client"
	"minicloud/shared/console/deadletter"
)

// delayed is a part whose work has its next attempt in an hour, unless hurried.
type delayed struct {
	Part
	hurried bool
}

func (d *delayed) Open(context.Context) (map[string]int, time.Time, error) {
	if d.hurried {
		return nil, time.Time{}, nil
	}
	return map[string]int{"webhook": 1}, time.Now().Add(time.Hour), nil
}

func (d *delayed) FindLost(_ context.Context, hurried bool) error {
	d.hurried = d.hurried || hurried
	return nil
}

// TestSettleHurriesNextAttempt checks that a hurried load begins an attempt due in an hour at once.
func TestSettleHurriesNextAttempt(t *testing.T) {
	empty := sqsOf(t, nil)
	l := New(&Cloud{About: About{Services: empty.URL, Database: empty.URL}, Hurried: time.Now()}, Options{})
	l.parts = []Part{&delayed{}}

	if missing, err := l.Settle(t.Context()); err != nil || len(missing) > 0 {
		t.Errorf("waited in vain for %v, %v", missing, err)
	}
}

// sqsOf serves SQS whose receivers get the answers one after the other; a queue holds a message for each that is left.
func sqsOf(t *testing.T, answers []string) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("X-Amz-Target") {
		case "AmazonSQS.GetQueueAttributes":
			fmt.Fprintf(w, `{"Attributes":{"ApproximateNumberOfMessages":"0","ApproximateNumberOfMessagesNotVisible":"%d"}}`,
				len(answers))
		case "AmazonSQS.ReceiveMessage":
			if len(answers) == 0 {
				fmt.Fprint(w, "{}")
				return
			}
			fmt.Fprint(w, answers[0])
			answers = answers[1:]
		default:
			fmt.Fprint(w, "{}")
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// TestLettersReadsHiddenMessages: a queue is read on after an empty answer, as long as it holds messages.
func TestLettersReadsHiddenMessages(t *testing.T) {
	s := sqsOf(t, []string{`{}`, `{"Messages":[{"MessageId":"m","Body":"b","ReceiptHandle":"h"}]}`})
	c := &Cloud{About: About{Services: s.URL, Database: s.URL, Environment: map[string]string{"Q": s.URL + "/q"}}}
	var bodies []string
	err := c.Letters(t.Context(), "Q", func(got []deadletter.Message) error {
		for _, m := range got {
			bodies = append(bodies, m.Body)
		}
		return nil
	})
	if err != nil || len(bodies) != 1 {
		t.Errorf("%q, %v, want one letter", bodies, err)
	}
}

// verdict holds the counts that must be zero.
type verdict struct{ lost, doubled, late int }

func (v verdict) check(t *testing.T, got *Line) {
	t.Helper()
	if is := (verdict{got.Lost, got.Doubled, got.Late}); is != v {
		t.Errorf("lost, doubled, late: %v, want %v; %q", is, v, got.Troubles)
	}
}

// TestEffects checks that requests are counted and that their answers decide which effects must exist.
func TestEffects(t *testing.T) {
	for name, tt := range map[string]struct {
		found map[string]int
		want  verdict
	}{
		"right":   {map[string]int{"sure": 1, "maybe": 1}, verdict{}},
		"lost":    {map[string]int{"maybe": 1}, verdict{lost: 1}},
		"refused": {map[string]int{"sure": 1, "not": 1}, verdict{doubled: 1}},
	} {
		line := &Line{}
		line.Note(client.Effect{Mark: "sure", Known: client.Acknowledged})
		line.Note(client.Effect{Mark: "maybe", Known: client.Unknown})
		line.Note(client.Effect{Mark: "not", Known: client.Refused})
		line.Judge(tt.found)
		tt.want.check(t, line)
		if line.Attempted != 3 || line.Acknowledged != 1 || line.Unknown != 1 {
			t.Errorf("%s: counted %+v", name, line.Tally)
		}
	}
}

// TestRepetitions checks that a late answer, or a different answer, is reported.
func TestRepetitions(t *testing.T) {
	busy := client.Slowness()
	for name, tt := range map[string]struct {
		e    client.Effect
		want verdict
	}{
		"at once": {client.Effect{Mark: "k", Known: client.Acknowledged, Took: time.Second}, verdict{}},
		"after the lease": {
			client.Effect{Mark: "k", Known: client.Acknowledged, Took: time.Duration(busy+100) * time.Minute}, verdict{late: 1},
		},
		"answered another": {client.Effect{Mark: "k", Known: client.Acknowledged, Wrong: "1, then 2"}, verdict{lost: 1}},
		"refused afterward": {
			client.Effect{Mark: "k", Known: client.Refused, Wrong: "the repetition was refused"}, verdict{lost: 1, doubled: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			line := &Line{timed: true}
			line.Note(tt.e)
			line.Judge(map[string]int{"k": 1})
			tt.want.check(t, line)
		})
	}
}

// TestEntries plants wrong index entries and totals.
func TestEntries(t *testing.T) {
	for name, tt := range map[string]struct {
		entries map[string]int
		want    verdict
	}{
		"right":              {map[string]int{"a": 1, "b": 1}, verdict{}},
		"an entry is lost":   {map[string]int{"a": 1}, verdict{lost: 1}},
		"an entry is stale":  {map[string]int{"a": 1, "b": 1, "c": 1}, verdict{doubled: 1}},
		"an entry comes two": {map[string]int{"a": 2, "b": 1}, verdict{doubled: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			line := &Line{}
			line.Same("where x", map[string]int{"a": 1, "b": 1}, tt.entries)
			tt.want.check(t, line)
		})
	}

	line := &Line{}
	line.Total("rows", 3, 3)
	line.Total("rows", 2, 3)
	line.Total("rows", 4, 3)
	verdict{lost: 1, doubled: 1}.check(t, line)
}
