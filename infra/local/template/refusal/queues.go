package refusal

import (
	"time"

	"minicloud/infra/local/template"
)

// Limits of the queues that feed functions. AWS accepts other values, but loses work with them.
const (
	// minRetried is how long a message must be retried before it becomes a dead letter: a batch that finds no
	// concurrency counts as received, so few receives give accepted work up in a throttled account.
	minRetried = 4 * time.Hour
	// timeouts is the visibility timeout in timeouts of the function: Lambda retries a throttled batch meanwhile.
	timeouts = 6
	// ShortVisibility is the entry of a queue's Metadata with the reason for a shorter visibility timeout: nothing but
	// the queue finds a message whose worker died, and somebody waits for it.
	ShortVisibility = "ShortVisibility"
)

var queueRules = []Rule{
	{"messages are retried for four hours before they are dead letters",
		"lambda/services-sqs-configure.html, AWSSimpleQueueService/sqs-dead-letter-queues.html",
		queues(func(s *stack, f *template.Function, e template.QueueEvent, q *template.Queue, report report) {
			retried := q.Retention
			if q.DeadQueue != "" {
				retried = min(retried, time.Duration(q.MaxReceive)*q.Visibility)
			}
			if retried < minRetried {
				report(q.ID, "gives a message up after %v of throttling, at least %v", retried, minRetried)
			}
		})},
	{"messages are hidden for six timeouts of their function and its window, or the queue says why not",
		"lambda/services-sqs-configure.html",
		queues(func(s *stack, f *template.Function, e template.QueueEvent, q *template.Queue, report report) {
			why, _ := s.metadata(q.ID)[ShortVisibility].(string)
			switch want := timeouts*f.Timeout + e.Window; {
			case q.Visibility < want && why == "":
				report(q.ID, "shows messages again after %v, want %v for %s, or Metadata with %s", q.Visibility, want, f.ID,
					ShortVisibility)
			case q.Visibility >= want && why != "":
				report(q.ID, "has a reason for a short visibility timeout, but %v is long enough", q.Visibility)
			}
		})},
}

// queues returns a check that calls f for each queue that feeds a function.
func queues(
	f func(s *stack, f *template.Function, e template.QueueEvent, q *template.Queue, report report),
) func(*stack, report) {
	return func(s *stack, report report) {
		named := map[string]*template.Queue{}
		for _, q := range s.Queues {
			named[q.Name] = q
		}
		for _, function := range s.Functions {
			for _, e := range function.Queues {
				f(s, function, e, named[e.Queue], report)
			}
		}
	}
}

// metadata returns the Metadata of a resource.
func (s *stack) metadata(id string) map[string]any {
	for _, r := range s.Resources {
		if r.ID == id {
			return r.Metadata
		}
	}
	return nil
}
