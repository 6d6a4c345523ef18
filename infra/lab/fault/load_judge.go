package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"minicloud/infra/lab/fault/expect"
)

// Line is what the events of a type came to, or the evaluations of all.
type Line struct {
	Name                    string
	Attempted, Acknowledged int // events
	Expected, Found         int // runs in the log; Expected are those that must be there
	Lost, Doubled, Late     int // must be zero
	Troubles                []string
}

var lineNames = []string{
	rowCreated, rowUpdated, rowDeleted, paid, timerDue, fileEvent, chatMessage, hookCalled, badEvent, evaluations,
}

func (l *Line) add(w *watcher, v expect.Verdict) {
	l.Expected, l.Found = l.Expected+v.Expected, l.Found+v.Found
	l.Lost, l.Doubled = l.Lost+v.Lost, l.Doubled+v.Doubled
	for _, trouble := range v.Troubles {
		l.Troubles = append(l.Troubles, fmt.Sprintf("%s, trigger %d of %s: %s", w.line, w.id, w.app.scope, trouble))
	}
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
func (w *watcher) log(ctx context.Context) (runs []expect.Run, err error) {
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

		run := expect.Run{Action: entry.Action, Event: entry.Event.ID, Mark: entry.Subject}
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
func (w *watcher) evaluated(ctx context.Context) (seen []expect.Seen, err error) {
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

		seen = append(seen, expect.Seen{Mark: e.Subject, Held: e.Held})
		return nil
	})
	return seen, err
}

// Judge reads every log, holds it against what was expected, and returns the table. It is the end of the load.
func (l *Load) Judge(ctx context.Context, played *Played, report *Report) ([]*Line, error) {
	report.allow()
	played.died(report)
	report.Redriven += played.redriven
	for _, actor := range l.actors {
		if err := actor.judge(ctx, report); err != nil {
			return nil, err
		}
	}
	for name, n := range l.late {
		if line := l.lines[name]; line != nil {
			line.Late = n
		} else {
			effect := report.Effect(name)
			effect.Trouble(&effect.Late, n, "%d came late", n)
		}
	}
	for _, app := range l.apps {
		app.witness.Close()
		for _, w := range app.watchers {
			found, err := w.log(ctx)
			if err != nil {
				return nil, err
			}
			l.lines[w.line].add(w, w.Judge(found))

			seen, err := w.evaluated(ctx)
			if err != nil {
				return nil, err
			}
			l.lines[evaluations].add(w, w.Evaluations(seen, keptEvaluations))
		}
	}
	if err := l.judgeRefused(ctx); err != nil {
		return nil, err
	}

	var table []*Line
	for _, name := range lineNames {
		table = append(table, l.lines[name])
	}
	for _, err := range l.failures {
		table[0].Troubles = append(table[0].Troubles, err.Error())
	}
	return table, nil
}

// judgeRefused reads the dead letters: each refused event is there with a reason. It may be there twice, when its
// worker died after it had put it there.
func (l *Load) judgeRefused(ctx context.Context) error {
	reasons := map[string]string{}
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
			_ = json.Unmarshal([]byte(*m.Body), &letter) // what is none has no reason
			reasons[letter.Event.Detail.Mark] = letter.Reason
		}
	}

	line := l.lines[badEvent]
	line.Found = len(reasons)
	for _, e := range l.refused {
		if e.known == acknowledged {
			line.Expected++
		}
		if e.known == acknowledged && reasons[e.mark] == "" {
			line.Lost++
			line.Troubles = append(line.Troubles, fmt.Sprintf("%q is no dead letter with a reason", e.mark))
		}
		delete(reasons, e.mark)
	}
	for mark, reason := range reasons {
		line.Doubled++
		line.Troubles = append(line.Troubles, fmt.Sprintf("%q is a dead letter: %q", mark, reason))
	}
	return nil
}

// PrintLines writes the table, and the sum of it.
func PrintLines(w io.Writer, lines []*Line) {
	fmt.Fprintf(w, "\n%-16s %9s %12s %9s %9s | %5s %8s %5s\n",
		"type", "attempted", "acknowledged", "expected", "found", "lost", "doubled", "late")
	sum := Line{Name: "all"}
	for _, l := range append(lines, &sum) {
		fmt.Fprintf(w, "%-16s %9d %12d %9d %9d | %5d %8d %5d\n",
			l.Name, l.Attempted, l.Acknowledged, l.Expected, l.Found, l.Lost, l.Doubled, l.Late)
		sum.Attempted, sum.Acknowledged = sum.Attempted+l.Attempted, sum.Acknowledged+l.Acknowledged
		sum.Expected, sum.Found = sum.Expected+l.Expected, sum.Found+l.Found
		sum.Lost, sum.Doubled, sum.Late = sum.Lost+l.Lost, sum.Doubled+l.Doubled, sum.Late+l.Late
	}
}
