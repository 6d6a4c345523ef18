package conformance

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"minicloud/infra/lab/sim/memdb"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/template"
	"minicloud/shared/clock"
)

// Implementation is something that serves DynamoDB or SQS.
type Implementation struct {
	Name string
	// Plays reports whether it serves what a group is about.
	Plays func(Group) bool
	// Begin makes the tables and queues of a group.
	Begin func(context.Context, Group) (*Stage, error)
	// Unasked says that its answers have the consumed capacity without being asked for it.
	Unasked bool
}

// Stage is an implementation with the tables and queues of one group.
type Stage struct {
	Do   func(*http.Request) (*http.Response, error)
	URL  string
	Wait func(time.Duration)
	End  func()
}

func aboutTables(g Group) bool { return len(g.Queues) == 0 }
func aboutQueues(g Group) bool { return len(g.Queues) > 0 }

// services are the prefixes of X-Amz-Target.
var services = map[string]string{"Streams": "DynamoDBStreams_20120810.", "SQS": "AmazonSQS."}

// Call makes one call and returns its answer, and the body as it came.
func (s *Stage) Call(ctx context.Context, operation string, in any) (Answer, any, error) {
	target := "DynamoDB_20120810." + operation
	if service, name, ok := strings.Cut(operation, "."); ok {
		target = services[service] + name
	}
	body, err := json.Marshal(in)
	if err != nil {
		return Answer{}, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(body))
	if err != nil {
		return Answer{}, nil, err
	}
	service := "dynamodb"
	if strings.HasPrefix(target, services["SQS"]) {
		service = "sqs"
	}
	req.Header.Set("Content-Type", "application/x-amz-json-1.0")
	req.Header.Set("X-Amz-Target", target)
	req.Header.Set("X-Amz-Date", "20260101T000000Z")
	// No implementation checks the signature, but some want one that names its service.
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20260101/"+ddb.Region+"/"+service+
		"/aws4_request, SignedHeaders=host, Signature=local")
	resp, err := s.Do(req)
	if err != nil {
		return Answer{}, nil, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return Answer{}, nil, err
	}
	answer, raw := read(resp.StatusCode, resp.Header, got)
	return answer, raw, nil
}

// must is Call for what prepares a group or ends it.
func (s *Stage) must(ctx context.Context, operation string, in any) error {
	answer, _, err := s.Call(ctx, operation, in)
	if err == nil && answer.Refuses != "" {
		err = fmt.Errorf("%s: %s", operation, answer)
	}
	return err
}

// Engine is the DynamoDB of the local cloud, at the URL of its proxy.
func Engine(url string) Implementation { return remote("engine", url, aboutTables) }

// DynamoDBLocal is Amazon's.
func DynamoDBLocal(url string) Implementation {
	one := remote("dynamodb-local", url, aboutTables)
	one.Unasked = true
	return one
}

// Moto is a moto server, whose account is that of the local cloud.
func Moto(url string) Implementation {
	one := remote("moto", url, func(Group) bool { return true })
	one.Unasked = true
	return one
}

func remote(name, url string, plays func(Group) bool) Implementation {
	return Implementation{Name: name, Plays: plays, Begin: func(ctx context.Context, g Group) (*Stage, error) {
		s := &Stage{Do: http.DefaultClient.Do, URL: url, Wait: time.Sleep}
		s.End = func() {
			for _, name := range g.Tables {
				_ = s.must(ctx, "DeleteTable", map[string]any{"TableName": strings.TrimSuffix(name, "*")})
			}
			for _, q := range g.Queues {
				_ = s.must(ctx, "SQS.DeleteQueue", map[string]any{"QueueUrl": s.queueURL(q.Name)})
			}
		}

		for _, name := range g.Tables {
			if err := s.must(ctx, "CreateTable", shape(name)); err != nil {
				return nil, err
			}
		}
		for _, q := range slices.Backward(g.Queues) { // a dead-letter queue is behind the queue that needs it
			if err := s.must(ctx, "SQS.CreateQueue", map[string]any{
				"QueueName": q.Name, "Attributes": q.attributes(),
			}); err != nil {
				return nil, err
			}
		}
		return s, nil
	}}
}

func (s *Stage) queueURL(name string) string { return s.URL + "/" + template.Account + "/" + name }

// shape is the CreateTable of a table of a group.
func shape(name string) any {
	plain := strings.TrimSuffix(name, "*")
	in := *ddb.PlainTable(plain).Create
	table := map[string]any{
		"TableName": plain, "BillingMode": in.BillingMode, "AttributeDefinitions": in.AttributeDefinitions,
		"KeySchema": in.KeySchema,
	}
	if plain != name {
		table["StreamSpecification"] = map[string]any{"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"}
	}
	return table
}

func (q Queue) attributes() map[string]string {
	all := map[string]string{"VisibilityTimeout": fmt.Sprint(q.visibility())}
	if q.Dead != "" {
		all["RedrivePolicy"] = fmt.Sprintf(`{"deadLetterTargetArn":"arn:aws:sqs:%s:%s:%s","maxReceiveCount":%d}`,
			ddb.Region, template.Account, q.Dead, q.Receives)
	}
	return all
}

func (q Queue) visibility() int { return cmp.Or(q.Visibility, 30) }

// Memory is the DynamoDB of the simulation.
func Memory() Implementation {
	return Implementation{Name: "memory", Plays: aboutTables, Begin: func(_ context.Context, g Group) (*Stage, error) {
		db := memdb.New(clock.System, g.Tables...)
		return &Stage{Do: db.Do, URL: "http://memory", Wait: time.Sleep, End: func() {}}, nil
	}}
}

// Queues are those of the local cloud.
func Queues() Implementation {
	return Implementation{Name: "queue", Plays: aboutQueues, Begin: func(_ context.Context, g Group) (*Stage, error) {
		var wanted []*template.Queue
		for _, q := range g.Queues {
			wanted = append(wanted, &template.Queue{
				Name: q.Name, Visibility: time.Duration(q.visibility()) * time.Second, Retention: 4 * 24 * time.Hour,
				MaxBytes: queue.MaxBytes, DeadQueue: q.Dead, MaxReceive: q.Receives,
			})
		}

		// A clock that stands still between steps: on a busy machine a second may pass within one.
		now := time.Now()
		broker := queue.New(wanted, func() time.Time { return now }, func(queue.Entry) error { return nil })
		api := &queue.API{Broker: broker, BaseURL: "http://queue", Count: func(string) {}}
		return &Stage{
			URL: "http://queue", Wait: func(d time.Duration) { now = now.Add(d) },
			Do: func(r *http.Request) (*http.Response, error) {
				w := httptest.NewRecorder()
				api.ServeHTTP(w, r)
				return w.Result(), nil
			},
			End: broker.Close,
		}, nil
	}}
}
