package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/infra/lab/promise"
)

// lineNames are the lines of events and of evaluations, in the order of the table.
var lineNames = []string{
	rowCreated, rowUpdated, rowDeleted, paid, paidOrders, timerDue, fileEvent, chatMessage, hookCalled, badEvent,
	evaluations,
}

// within asks every half second whether something is done.
func within(ctx context.Context, limit time.Duration, what string, done func() (bool, error)) error {
	for begun := time.Now(); ; {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		if time.Since(begun) > limit {
			return fmt.Errorf("%s: not after %s", what, limit)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// log reads the runs of a trigger.
func (w *watcher) log(ctx context.Context) (runs []promise.Run, err error) {
	_, err = w.app.list(ctx, fmt.Sprintf("%s%d/log/?limit=1000", triggersPath, w.id), func(object json.RawMessage) error {
		var entry struct {
			Action  int64  `json:"action"`
			Subject string `json:"subject_id"`
			Event   struct {
				ID string `json:"id"`
			} `json:"event"`
		}
		if err := json.Unmarshal(object, &entry); err != nil {
			return err
		}

		run := promise.Run{Action: entry.Action, Event: entry.Event.ID, Mark: entry.Subject}
		if w.line == timerDue {
			run.Mark = entry.Event.ID // the subject is the timer, for all minutes
		}

		runs = append(runs, run)
		return nil
	})
	return runs, err
}

// keptEvaluations is how many a trigger shows (G11).
const keptEvaluations = 50

// evaluated reads what a trigger says that it saw.
func (w *watcher) evaluated(ctx context.Context) (seen []promise.Seen, err error) {
	path := fmt.Sprintf("%s%d/evaluation/?limit=%d", triggersPath, w.id, keptEvaluations)
	_, err = w.app.list(ctx, path, func(object json.RawMessage) error {
		var e struct {
			Event   string `json:"event_id"`
			Subject string `json:"subject_id"`
			Held    bool   `json:"held"`
		}
		if err := json.Unmarshal(object, &e); err != nil {
			return err
		}
		if w.line == timerDue {
			e.Subject = e.Event
		}

		seen = append(seen, promise.Seen{Mark: e.Subject, Held: e.Held})
		return nil
	})
	return seen, err
}

// Judge reads every log and holds it against what was expected. It is the end of the load.
func (l *Load) Judge(ctx context.Context, played *Played, report *Report) error {
	report.allow()
	played.died(report)
	report.Redriven += played.redriven
	for _, name := range lineNames {
		report.Ledger(name).Add(l.lines[name].Tally)
	}
	for _, actor := range l.actors {
		if err := actor.judge(ctx, report); err != nil {
			return err
		}
	}
	for name, n := range l.late {
		if line := report.Ledger(name); l.lines[name] != nil {
			line.Late += n
		} else {
			line.Trouble(&line.Late, n, "%d came late", n)
		}
	}

	for _, app := range l.apps {
		if err := app.judge(ctx, report); err != nil {
			return err
		}
	}
	for _, err := range l.failures {
		first := report.Ledger(rowCreated)
		first.trouble(&first.Lost, "%v", err)
	}
	return l.judgeRefused(ctx, report.Ledger(badEvent))
}

// judge holds the runs and evaluations of each trigger, and the orders that were paid, against what was expected.
func (a *loadedApp) judge(ctx context.Context, report *Report) error {
	a.witness.Close()
	for _, w := range a.watchers {
		found, err := w.log(ctx)
		if err != nil {
			return err
		}
		seen, err := w.evaluated(ctx)
		if err != nil {
			return err
		}
		w.add(report.Ledger(w.line), w.Judge(found))
		w.add(report.Ledger(evaluations), w.Evaluations(seen, keptEvaluations))
	}

	orders := map[string]int{}
	_, err := a.service().list(ctx, ordersPath, func(object json.RawMessage) error {
		var order struct {
			Trade  string `json:"trade_no"`
			Status string `json:"status"`
		}
		err := json.Unmarshal(object, &order)
		if order.Status == "success" {
			orders[order.Trade]++
		}
		return err
	})
	report.Ledger(paidOrders).Add(a.orders.Judge(promise.Found{Times: orders}))
	return err
}

// add adds what the runs or evaluations of a trigger came to. Its troubles say which trigger it is.
func (w *watcher) add(to *Result, t promise.Tally) {
	for i, trouble := range t.Troubles {
		t.Troubles[i] = fmt.Sprintf("%s, trigger %d of %s: %s", w.line, w.id, w.app.scope, trouble)
	}
	to.Add(t)
}

// judgeRefused reads the dead letters: each refused event is there with a reason. It may be there twice, when its
// worker died after it had put it there.
func (l *Load) judgeRefused(ctx context.Context, line *Result) error {
	found := map[string]int{}
	queue := aws.String(l.platform.Queues["EventDeadLetterQueue"])
	for {
		got, err := l.platform.sqs().ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: queue, MaxNumberOfMessages: 10})
		if err != nil {
			return fmt.Errorf("dead letters: %w", err)
		}
		if len(got.Messages) == 0 {
			break
		}
		for _, m := range got.Messages {
			var letter struct {
				Reason string `json:"reason"`
				Event  struct {
					Detail struct {
						Mark string `json:"merchandise_description"`
					} `json:"detail"`
				} `json:"event"`
			}
			_ = json.Unmarshal([]byte(*m.Body), &letter) // what is none has no mark: nobody asked for it
			mark := letter.Event.Detail.Mark
			if letter.Reason == "" {
				mark = fmt.Sprintf("a letter without a reason, %.400s", *m.Body)
			}
			found[mark] = 1
		}
	}

	line.Add(l.refused.Judge(promise.Found{Times: found}))
	return nil
}
