package play

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aws/aws-lambda-go/events"

	notifyapi "minicloud/functions/paymentnotify/api"
	busconsumer "minicloud/functions/platformevent/consumer"
	streamconsumer "minicloud/functions/recordtrigger/consumer"
	"minicloud/infra/lab/sim"
	"minicloud/shared/delivery"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/order"
	"minicloud/shared/templatemessage"
	"minicloud/shared/trigger"
	"minicloud/shared/trigger/action"
	"minicloud/shared/trigger/action/email"
	"minicloud/shared/trigger/action/message"
	"minicloud/shared/trigger/action/sms"
	"minicloud/shared/trigger/action/webhook"
)

// Ports are where a planted bug may stand between a service and what it uses; nil leaves it as it is.
type Ports struct {
	Candidates  func(trigger.Candidates) trigger.Candidates
	Runs        func(trigger.Runs) trigger.Runs
	Evaluations func(trigger.Evaluations) trigger.Evaluations
	Queue       func(trigger.Queue) trigger.Queue
	Dues        func(trigger.Dues) trigger.Dues
	Timers      func(trigger.Store) trigger.Store
	Hooks       func(trigger.Hooks) trigger.Hooks
	Orders      func(order.Store) order.Store
	Listeners   func(triggerdb.Listeners) triggerdb.Listeners
	Engine      func(streamconsumer.Engine) streamconsumer.Engine
	Reader      func(streamconsumer.Reader) streamconsumer.Reader
	Dead        func(busconsumer.DeadLetters) busconsumer.DeadLetters
	Bus         func(notifyapi.Bus) notifyapi.Bus
	Stream      func(sim.StreamHandler) sim.StreamHandler
	Work        func(sim.SQSHandler) sim.SQSHandler // of platformevent
	// Of actionrunner; Again asks for runs again, Run is the handler, Owned finds triggers.
	Leases func(trigger.Leases) trigger.Leases
	Owned  func(action.Triggers) action.Triggers
	Again  func(trigger.Queue) trigger.Queue
	Wakes  func(trigger.Wakes) trigger.Wakes
	Doer   func(action.Doer) action.Doer
	Claims func(sms.Claims) sms.Claims
	Mails  func(email.Sender) email.Sender
	Texts  func(sms.Sender) sms.Sender
	Jobs   func(action.Jobs) action.Jobs
	// Of template messages; Messages are their claims.
	Recipients func(action.Users) action.Users
	Messages   func(message.Claims) message.Claims
	Gateway    func(templatemessage.Gateway) templatemessage.Gateway
	Rates      func(webhook.Rates) webhook.Rates
	Receivers  func(delivery.Sender) delivery.Sender
	Marks      func(action.Marks) action.Marks
	Run        func(sim.SQSHandler) sim.SQSHandler
	// Unfiltered is a table whose records all wake recordtrigger.
	Unfiltered string
	// Rewrite changes a request to AWS in place.
	Rewrite func(program, operation string, request map[string]any)
}

// Bug is a mistake that is planted in the platform to see whether it is found.
type Bug struct {
	Name string // what the platform does wrong
	// Sources are words: the sources that it is looked for with, the only type of actions where a trigger can have it,
	// and "flows" where all actions that can are to have flow controls.
	Sources string
	Ports   Ports
}

// rewriter makes a change of requests one of their texts.
func rewriter(change func(program, operation string, request map[string]any)) func(string, string, []byte) []byte {
	if change == nil {
		return nil
	}
	return func(program, operation string, body []byte) []byte {
		var request map[string]any
		if json.Unmarshal(body, &request) != nil {
			return body
		}
		change(program, operation, request)
		changed, err := json.Marshal(request)
		if err != nil {
			return body
		}
		return changed
	}
}

// Bugs are the planted ones. Each is found when it is played with enough seeds.
var Bugs = slices.Concat(actionBugs, eventBugs)

// eventBugs are those of what happens until a run is asked for.
var eventBugs = []Bug{
	// Nothing is done twice.
	{
		"a run is stored without a condition", "files messages rows",
		Ports{Rewrite: withoutCondition("TriggerLogTable", "#run#")},
	},
	{
		"the turn of a limited action is not conditional", "messages files",
		Ports{Rewrite: withoutCondition("TriggerLogTable", "last#")},
	},
	{"the frequency of an action is ignored", "messages", Ports{Runs: unlimited}},
	{"an order is stored without a condition", "payments", Ports{Rewrite: withoutCondition("OrdersTable", "")}},
	{"a new event id with each delivery", "files messages", Ports{Engine: anyID}},
	{"a payment event on any update", "payments", Ports{Reader: reading(alwaysPaid, asItIs), Unfiltered: "OrdersTable"}},
	{
		"calls of hooks are counted without a condition", "hooks",
		Ports{Rewrite: withoutCondition("TriggersTable", "#hooks")},
	},

	// Nothing is lost.
	{"a batch of a stream is acknowledged whole", "rows", Ports{Stream: allWell}},
	{"one record beyond the failed one is acknowledged", "rows", Ports{Stream: oneBeyond}},
	{"an event of the bus is acknowledged before it is worked on", "messages files", Ports{Work: workedOn}},
	{"a run that could not be stored counts as stored", "messages files", Ports{Runs: notStored}},
	{"a message that could not be sent counts as sent", "messages files", Ports{Queue: unsent}},
	{"a stored run is not asked for again", "messages rows files", Ports{Runs: askedOnce}},
	{"a hook's call is answered before it is stored", "hooks", Ports{Hooks: hoping}},
	{"dead letters are lost", "files messages", Ports{Dead: noLetters}},

	// Everything is told apart.
	{"events are known by what they are about", "rows", Ports{Engine: changed(bySubject)}},
	{"a run's id does not say which action", "files messages", Ports{Runs: renamed(withoutAction)}},
	{"a run's id does not say whose it is", "messages files", Ports{Runs: renamed(withoutScope)}},
	{"triggers are looked for in another environment", "messages files", Ports{Candidates: elsewhere}},
	{"triggers are cached without their tenant", "messages files", Ports{Candidates: keptByIndex}},
	{"the tenant is missing in the key of a run", "messages files", Ports{Rewrite: withoutTenant}},
	{"messages name another tenant", "messages files", Ports{Queue: lastTenant}},
	{"a payment forgets its environment", "payments", Ports{Bus: forgetting}},
	{"evaluations of all triggers are in one place", "messages files", Ports{Rewrite: sharedKey}},

	// Conditions, order and depth.
	{"conditions are ignored", "rows", Ports{Candidates: unconditional}},
	{"the newest event is fired first", "rows", Ports{Engine: backwards}},
	{"events behind a failed one are fired before it", "rows", Ports{Engine: goneOn}},
	{
		"the depth of an event is not carried", "rows hooks", Ports{Engine: changed(func(e *trigger.Event) { e.Depth = 0 })},
	},
	{"the depth of an event is one too small", "rows hooks", Ports{Engine: changed(oneLess)}},

	// What triggers there are.
	{"a table's revision does not grow", "rows", Ports{Rewrite: stale}},
	{"tables do not know who listens", "rows", Ports{Rewrite: unheard}},
	{"cached triggers are used for ever", "rows", Ports{Reader: reading(noRecord, anyRevision)}},
	{"a disabled trigger stays where events find it", "messages rows", Ports{Rewrite: withoutDeletes("#on#")}},
	{"triggers are read again and again", "messages files", Ports{Candidates: again}},

	// Timers.
	{"a timer goes on before it has fired", "timers", Ports{Dues: moving}},
	{"a timer's next minute is counted from now", "timers", Ports{Dues: counting}},
	{"a timer fires the minute it is", "timers", Ports{Dues: clocking}},
	{"what a timer wants of missed minutes is ignored", "timers", Ports{Timers: eagerly}},
}

func anyID(real streamconsumer.Engine) streamconsumer.Engine {
	n := 0
	return changed(func(e *trigger.Event) {
		n++
		e.ID += fmt.Sprint(" ", n)
	})(real)
}

func alwaysPaid(r *events.DynamoDBEventRecord) {
	if r.Change.OldImage["status"].DataType() == events.DataTypeString {
		r.Change.OldImage = nil
	}
}

func asItIs(*trigger.Event)                    {}
func noRecord(*events.DynamoDBEventRecord)     {}
func anyRevision(e *trigger.Event)             { e.Revision = min(e.Revision, 1) }
func bySubject(e *trigger.Event)               { e.ID = e.Subject }
func oneLess(e *trigger.Event)                 { e.Depth = max(e.Depth-1, 0) }
func withoutAction(r trigger.Run) string       { return trigger.RunID(r.Scope, r.Trigger, r.Event.ID, 0) }
func forgetting(b notifyapi.Bus) notifyapi.Bus { return forgetful{b} }
func hoping(h trigger.Hooks) trigger.Hooks     { return hopeful{h} }
func moving(d trigger.Dues) trigger.Dues       { return hasty{d} }
func counting(d trigger.Dues) trigger.Dues     { return punctual{d} }
func clocking(d trigger.Dues) trigger.Dues     { return byTheClock{d} }
func eagerly(s trigger.Store) trigger.Store    { return eager{s} }

func withoutScope(r trigger.Run) string {
	return trigger.RunID(scopesPlayed[0], r.Trigger, r.Event.ID, r.Action)
}
