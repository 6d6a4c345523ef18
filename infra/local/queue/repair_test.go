package queue_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/infra/local/ddb"
	local "minicloud/infra/local/queue"
	"minicloud/infra/local/template"
	"minicloud/shared/aws/queue"
	"minicloud/shared/clock"
	"minicloud/shared/console/deadletter"
	"minicloud/shared/errs"
)

// queues are the job queue and its dead-letter queue in a local SQS.
type queues struct {
	*testing.T
	broker  *local.Broker
	url     string
	client  *sqs.Client
	service *deadletter.Service
}

// inProcess is an HTTP client that calls a handler without a network: a synctest bubble would wait for network
// connections.
type inProcess struct{ http.Handler }

func (p inProcess) Do(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result(), nil
}

func open(t *testing.T) *queues {
	var names []*template.Queue
	for _, name := range []string{"jobs", "dead"} {
		names = append(names, &template.Queue{Name: name, Visibility: 30 * time.Second, Retention: 14 * 24 * time.Hour})
	}
	broker, err := local.Open(t.TempDir(), names, clock.System, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(broker.Close)
	const url = "http://queues"
	q := &queues{T: t, broker: broker, url: url + "/" + template.Account + "/"}
	q.client = sqs.New(sqs.Options{
		BaseEndpoint: aws.String(url), Region: "us-east-1",
		HTTPClient: inProcess{&local.API{Broker: broker, BaseURL: url, Count: func(string) {}}},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
	q.service = &deadletter.Service{
		Clock: clock.System,
		Queues: map[deadletter.Kind]deadletter.Queue{
			deadletter.Jobs: &queue.Letters{Client: q.client, URL: q.url + "dead"},
		},
		Senders: map[deadletter.Target]deadletter.Sender{
			deadletter.JobQueue: &queue.Again{Queue: queue.Queue{Client: q.client, URL: q.url + "jobs"}},
		},
	}
	return q
}

// bury puts jobs of an application into the dead-letter queue.
func (q *queues) bury(app int, jobs ...int) {
	q.Helper()
	for _, n := range jobs {
		body := fmt.Sprintf(`{"scope":"%d.production","function":1,"job":%d}`, app, n)
		if _, err := q.broker.Send("dead", local.Outgoing{Body: body, Group: fmt.Sprint(app)}); err != nil {
			q.Fatal(err)
		}
	}
}

func (q *queues) list(app int) deadletter.Listing {
	q.Helper()
	found, err := q.service.List(q.Context(), 7, deadletter.Jobs)
	if app != 7 {
		found, err = q.service.List(q.Context(), 8, deadletter.Jobs)
	}
	if err != nil {
		q.Fatal(err)
	}
	return found
}

// sent returns the bodies received from the job queue, with the number of their redrives.
func (q *queues) sent() []string {
	q.Helper()
	var all []string
	for {
		messages, err := q.broker.Receive(q.Context(), "jobs", 10, 0, time.Hour)
		if err != nil {
			q.Fatal(err)
		}
		if len(messages) == 0 {
			slices.Sort(all)
			return all
		}
		for _, m := range messages {
			_, job, _ := strings.Cut(m.Body, `"job":`)
			all = append(all, strings.Trim(job, "}")+"×"+m.Attributes["Redrives"].StringValue+" of "+m.Group)
		}
	}
}

// TestRedrivesLettersOfOwnApplication redrives one letter, then the rest, and none of another application.
func TestRedrivesLettersOfOwnApplication(t *testing.T) {
	q := open(t)
	q.bury(7, 1, 2, 3)
	q.bury(8, 4)
	found := q.list(7)
	if held := found.Held[0]; len(found.Letters) != 3 || held.Letters != 3 || *held.Others != 1 || held.More {
		t.Fatalf("listed %+v", found)
	}
	if again := q.list(7); len(again.Letters) != 3 {
		t.Errorf("a second look finds %d: the first has not given them back", len(again.Letters))
	}

	one := deadletter.Selection{App: 7, Kind: deadletter.Jobs, IDs: []string{found.Letters[0].ID}}
	if done, err := q.service.Redrive(t.Context(), one); err != nil || done != (deadletter.Done{Done: 1}) {
		t.Errorf("one: %+v, %v", done, err)
	}
	if _, err := q.service.Redrive(t.Context(), one); !errs.Is(err, errs.KindNotFound) {
		t.Errorf("the same again: %v", err)
	}
	theirs := deadletter.Selection{App: 7, Kind: deadletter.Jobs, IDs: []string{q.list(8).Letters[0].ID}}
	for _, do := range []func(context.Context, deadletter.Selection) (deadletter.Done, error){
		q.service.Redrive, q.service.Delete,
	} {
		if _, err := do(t.Context(), theirs); !errs.Is(err, errs.KindNotFound) {
			t.Errorf("another's: %v", err)
		}
	}
	rest := deadletter.Selection{App: 7, Kind: deadletter.Jobs, Before: time.Now().Add(time.Second)}
	if done, err := q.service.Redrive(t.Context(), rest); err != nil || done != (deadletter.Done{Done: 2}) {
		t.Errorf("the rest: %+v, %v", done, err)
	}
	if got := q.sent(); strings.Join(got, ", ") != "1×1 of 7, 2×1 of 7, 3×1 of 7" {
		t.Errorf("sent %v", got)
	}
	if held := q.list(8).Held[0]; held.Letters != 1 || *held.Others != 0 {
		t.Errorf("left: %+v", held)
	}
	if _, err := q.service.Redrive(t.Context(), deadletter.Selection{App: 7, Kind: deadletter.Records}); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("records: %v", err)
	}
}

// TestConcurrentListsAreComplete: two concurrent requests list the letters. Each hides the messages it has received
// from the other, so both receive again after random pauses.
func TestConcurrentListsAreComplete(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := open(t)
		for n := range 60 {
			q.bury(7, n)
		}
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				if found := q.list(7); len(found.Letters) != 60 || found.Held[0].More {
					t.Errorf("%d letters, %+v", len(found.Letters), found.Held)
				}
			})
		}
		group.Wait()
	})
}

// TestConcurrentRedrivesSendOnce: two concurrent requests redrive all letters.
func TestConcurrentRedrivesSendOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := open(t)
		for n := range 60 {
			q.bury(7, n)
		}
		before := time.Now().Add(time.Second)
		var group sync.WaitGroup
		for range 2 {
			group.Go(func() {
				_, err := q.service.Redrive(t.Context(), deadletter.Selection{App: 7, Kind: deadletter.Jobs, Before: before})
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if got := q.sent(); len(got) != 60 || len(slices.Compact(got)) != 60 {
			t.Errorf("sent %v", got)
		}
	})
}

// dying simulates a program that ends between sending and deleting a letter.
type dying struct{ *queue.Letters }

func (d *dying) Delete(context.Context, []deadletter.Message) ([]deadletter.Message, error) {
	return nil, errors.New("killed")
}

func (d *dying) Release(context.Context, []deadletter.Message) error { return nil }

// TestInterruptedRedriveKeepsLetter: a program ends between sending a letter and deleting it. The letter becomes
// visible again and is sent a second time, so nothing is lost; the consumer runs the job once.
func TestInterruptedRedriveKeepsLetter(t *testing.T) {
	q := open(t)
	q.bury(7, 1)
	letters := q.service.Queues[deadletter.Jobs].(*queue.Letters)
	q.service.Queues[deadletter.Jobs] = &dying{letters}
	all := deadletter.Selection{App: 7, Kind: deadletter.Jobs, Before: time.Now().Add(time.Second)}
	if done, err := q.service.Redrive(t.Context(), all); err == nil {
		t.Fatalf("it did not die: %+v", done)
	}

	q.service.Queues[deadletter.Jobs] = letters
	if err := q.broker.Crash(0); err != nil { // makes messages in flight visible, as after their visibility timeout
		t.Fatal(err)
	}
	if done, err := q.service.Redrive(t.Context(), all); err != nil || done.Done != 1 {
		t.Errorf("again: %+v, %v", done, err)
	}
	if got := q.sent(); strings.Join(got, ", ") != "1×1 of 7, 1×1 of 7" {
		t.Errorf("sent %v", got)
	}
	if left := q.list(7); len(left.Letters) != 0 {
		t.Errorf("left %+v", left)
	}
}

// returning simulates a consumer that refuses every message at once.
type returning struct {
	*queue.Again
	dead *queue.DeadLetters
}

func (r *returning) Resend(ctx context.Context, all []deadletter.Message) (map[string]bool, error) {
	for _, m := range all {
		if err := r.dead.Refuse(deadletter.WithRedrives(ctx, m.Redrives), m.Group, "poison", []byte(m.Body)); err != nil {
			return nil, err
		}
	}
	return r.Again.Resend(ctx, all)
}

// TestRefusedLetterReturnsWithCount: a letter that is refused again keeps its redrive count, and one request for all
// letters does not redrive it forever.
func TestRefusedLetterReturnsWithCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := open(t)
		again := q.service.Senders[deadletter.JobQueue].(*queue.Again)
		dead := &queue.DeadLetters{Queue: queue.Queue{Client: q.client, URL: q.url + "dead"}}
		q.service.Senders[deadletter.JobQueue] = &returning{again, dead}
		q.bury(7, 1, 2)
		for round := range 3 {
			time.Sleep(5 * time.Millisecond) // returned letters must be newer than Before of the next request
			done, err := q.service.Redrive(t.Context(), deadletter.Selection{App: 7, Kind: deadletter.Jobs, Before: time.Now()})
			if err != nil || done.Done != 2 {
				t.Errorf("round %d: %+v, %v", round, done, err)
			}
		}
		found := q.list(7)
		if len(found.Letters) != 2 || found.Letters[0].Redrives != 3 || found.Letters[0].Reason != "poison" {
			t.Errorf("left %+v", found.Letters)
		}
		q.bury(8, 3)
		all := deadletter.Selection{App: 7, Kind: deadletter.Jobs, Before: time.Now().Add(time.Second)}
		if done, err := q.service.Delete(t.Context(), all); err != nil || done.Done != 2 {
			t.Errorf("deleted %+v, %v", done, err)
		}
		if held := q.list(7).Held[0]; held.Letters != 0 || *held.Others != 1 {
			t.Errorf("left %+v", held)
		}
	})
}

// TestTriesMatchTemplate compares the number of attempts of each queue with the template.
func TestTriesMatchTemplate(t *testing.T) {
	root, err := ddb.Root()
	if err != nil {
		t.Fatal(err)
	}
	file, err := template.ReadFile(filepath.Join(root, "template.yaml"), template.Options{})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]deadletter.Kind{
		"JobDeadLetterQueue": deadletter.Jobs, "ActionDeadLetterQueue": deadletter.Actions, "BulkDeadLetterQueue": deadletter.Bulk,
		"TableWorkDeadLetterQueue": deadletter.TableWork, "EventDeadLetterQueue": deadletter.Events,
	}
	found := 0
	for _, q := range file.Queues {
		for name, kind := range names {
			if strings.HasSuffix(q.DeadQueue, name) {
				found++
				if q.MaxReceive != deadletter.Tries[kind] {
					t.Errorf("%s is tried %d times, not %d", q.Name, q.MaxReceive, deadletter.Tries[kind])
				}
			}
		}
	}
	if found != 6 {
		t.Errorf("%d queues have a dead-letter queue", found)
	}
}
