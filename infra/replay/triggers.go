package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"minicloud/infra/local/ddb"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/rundb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/language/value"
	"minicloud/shared/table"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/run"
)

// demoHook is the id of a hook for the events of events/. The demo application has no triggers; this file plants
// them.
const demoHook = "Ab3dE6gH9j"

// tick is the minute of the schedule events.
var tick = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// books is the table of the rows in events/.
var books = table.Table{ID: 373560319889407, Name: "books", Revision: 1, Columns: []table.Column{
	{Column: value.Column{Name: "title", Type: value.String}, Key: "title"},
	{Column: value.Column{Name: "stock", Type: value.Integer}, Key: "stock"},
}}

// triggers returns a store that writes triggers directly, without the programs.
func (c *client) triggers() *triggerdb.Triggers {
	return &triggerdb.Triggers{
		Client: ddb.NewClient(c.cloud.Database), Table: "TriggersTable", Listeners: c.schemas(),
	}
}

func (c *client) schemas() *rowdb.Tables {
	return &rowdb.Tables{Client: ddb.NewClient(c.cloud.Database), Name: "TablesTable"}
}

// waiting returns the triggers that the events of events/ fire.
func waiting() []trigger.Trigger {
	soldOut := trigger.Rule{Field: "stock", Operator: trigger.Equal, Value: 0.0}
	tables := map[string]table.ID{"books": books.ID}
	always := &trigger.TimerCondition{Cron: "* * * * *", Missed: trigger.MissedOnce}
	hello := trigger.Rule{Field: "Content", Operator: trigger.Equal, Value: "hello"}
	return []trigger.Trigger{
		{ID: 11, Name: "an order is paid", Type: trigger.TypeChatPay, Condition: &trigger.PaymentCondition{}},
		{
			ID: 12, Name: "a file is uploaded", Type: trigger.TypeFileOperation,
			Condition: &trigger.FileCondition{Operation: trigger.FileUpload, Result: trigger.ResultSuccess},
		},
		{
			ID: 13, Name: "somebody calls", Type: trigger.TypeIncomingWebhook, Condition: &trigger.HookCondition{},
			HookID: demoHook,
		},
		{
			ID: 14, Name: "somebody says hello", Type: trigger.TypeChatMessage,
			Condition: &trigger.MessageCondition{Match: trigger.MatchAll, Rules: []trigger.Rule{hello}},
		},
		{ID: 15, Name: "every minute", Type: trigger.TypeTimer, Condition: always},
		{
			ID: 16, Name: "a book is sold out", Type: trigger.TypeTable, Tables: tables,
			Condition: &trigger.TableCondition{
				Table: "books", Event: trigger.Update, Match: trigger.MatchAll, Rules: []trigger.Rule{soldOut},
			},
		},
		{
			ID: 17, Name: "a book goes", Type: trigger.TypeTable, Tables: tables,
			Condition: &trigger.TableCondition{Table: "books", Event: trigger.Delete, Match: trigger.MatchAll},
		},
	}
}

// listens are the programs that fire triggers or execute their runs.
var listens = []string{"recordtrigger", "platformevent", "timertick", "incomingwebhook", "actionrunner"}

// plantTriggers stores the triggers for the event of a program.
func (c *client) plantTriggers(ctx context.Context, program string) error {
	if !slices.Contains(listens, program) {
		return nil
	}
	if err := c.schemas().InsertTable(ctx, c.scope(), books); err != nil {
		return err
	}
	for _, t := range waiting() {
		if err := c.plant(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// showFired prints the evaluations of the triggers: the actions that fired, and the reasons of those that did not.
func (c *client) showFired(ctx context.Context, out io.Writer, program string) error {
	if !slices.Contains(listens, program) {
		return nil
	}

	for _, t := range waiting() {
		if err := c.showWorked(ctx, out, t, program); err != nil {
			return err
		}
		seen, err := c.runs().Evaluations(ctx, c.scope(), t.ID, nil)
		if err != nil {
			return err
		}

		for _, e := range seen {
			if _, err := fmt.Fprintf(out, "trigger %q: %s\n", t.Name, told(e)); err != nil {
				return err
			}
		}
	}

	return nil
}

// plantRun stores a run of the trigger "somebody calls", as recordtrigger does, and returns its id.
func (c *client) plantRun(ctx context.Context) (string, error) {
	call := trigger.HookCall{ID: "382989314773377", Hook: demoHook, Method: "POST", At: tick}
	r := run.Run{
		ID: run.IDOf(c.scope(), 13, "hook#"+call.ID, 1), Scope: c.scope(), Trigger: 13, TriggerName: "somebody calls",
		Action: 1, ActionType: trigger.CloudFunction, Event: trigger.HookEvent(c.scope(), call),
		Status: run.Pending, CreatedAt: tick,
	}
	_, err := c.runs().Start(ctx, r, trigger.Frequency{}, tick)
	return r.ID, err
}

func (c *client) runs() *rundb.Runs {
	return &rundb.Runs{Client: ddb.NewClient(c.cloud.Database), Table: "TriggerLogTable"}
}

// showWorked prints the attempts of a trigger's runs, only for actionrunner, which executes them.
func (c *client) showWorked(ctx context.Context, out io.Writer, t trigger.Trigger, program string) error {
	if program != "actionrunner" {
		return nil
	}
	runs, err := c.runs().List(ctx, c.scope(), t.ID, run.Filter{}, 1)
	if err != nil {
		return err
	}
	for _, r := range runs {
		for _, a := range r.Attempts {
			if _, err := fmt.Fprintf(
				out, "trigger %q: %s %s %s%s\n", t.Name, r.ActionType, r.Status, a.Response, a.Error,
			); err != nil {
				return err
			}
		}
	}
	return nil
}

// told describes the evaluation of one event by a trigger.
func told(e run.Evaluated) string {
	var words []string
	for _, r := range e.Rules {
		// Only rules that do not hold explain the result.
		if !r.Held {
			words = append(words, fmt.Sprintf("%s %s %v does not hold: it is %v", r.Path, r.Operator, r.Operand, r.Seen))
		}
	}
	for _, a := range e.Actions {
		if a.Fired {
			words = append(words, fmt.Sprintf("%s of %s fired action %d", e.Kind, e.Subject, a.Action))
		} else {
			words = append(words, fmt.Sprintf("%s of %s did not fire action %d: %s", e.Kind, e.Subject, a.Action, a.Why))
		}
	}
	return strings.Join(words, "; ")
}

// plant stores an enabled trigger that keeps its evaluations and runs the function hello.
func (c *client) plant(ctx context.Context, t trigger.Trigger) error {
	t.Enabled, t.Revision, t.Timezone, t.TraceUntil = true, 1, trigger.DefaultTimezone, trigger.TraceAlways
	t.Actions = []trigger.Action{{
		ID: 1, Type: trigger.CloudFunction, Frequency: trigger.Frequency{Mode: trigger.Repeatable},
		Settings: &trigger.CloudFunctionSettings{Function: "hello"},
	}}
	var next time.Time
	if t.Type == trigger.TypeTimer {
		next = tick
	}
	if err := c.triggers().Insert(ctx, c.scope(), t, next); err != nil {
		return fmt.Errorf("plant trigger %q: %w", t.Name, err)
	}
	return nil
}
