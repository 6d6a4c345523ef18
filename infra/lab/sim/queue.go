package sim

import (
	"log/slog"

	"minicloud/infra/local/bus"
	"minicloud/infra/local/eventsource"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/template"
	"minicloud/shared/clock"
)

// openQueues makes the queues and the bus of the template, by the code of the local cloud.
func (w *World) openQueues(t *template.Template) {
	w.broker = queue.New(t.Queues, clock.System, w.keep)
	count := func(string) {}
	w.queues = &queue.API{Broker: w.broker, BaseURL: "http://simulated", Count: count, Unkind: w.Unkind}
	w.bus = must(bus.New(bus.Config{
		Template: t, Broker: w.broker, Region: region, Clock: clock.System, Log: slog.New(slog.DiscardHandler), Count: count,
		Unkind: w.Unkind,
	}))
}

// keep hears of each change of a queue before it is made.
func (w *World) keep(e queue.Entry) error {
	if e.Op != queue.OpSend {
		return nil
	}
	w.mu.Lock()
	w.logs[e.Queue] = append(w.logs[e.Queue], e.Message.Body)
	w.mu.Unlock()

	// Only a message that was received too often gets into a queue with a count of its receives.
	if e.Message.Receives > 0 {
		w.noteDelivery("dead letter", e.Queue, e.Message.Body)
	}
	if w.Sent != nil {
		w.Sent(e.Queue, e.Message.Body)
	}
	return nil
}

// noteDelivery counts an unusual delivery, or a dead letter.
func (w *World) noteDelivery(how, queue, body string) {
	w.Count(how)
	if w.OnDelivery != nil {
		w.OnDelivery(how, queue, body)
	}
}

// batchSize is how many messages one invocation gets.
const batchSize = 5

// Consume has programs work on a queue, with so many invocations at a time.
func (w *World) Consume(from string, programs []string, start Program, atOnce int, handler func(any) SQSHandler) {
	p := &eventsource.QueuePoller{
		Broker: w.broker, Function: programs[0], Region: region, Log: slog.New(slog.DiscardHandler),
		Mapping: template.QueueEvent{
			Batch: template.Batch{Size: batchSize, PartialAnswer: true}, Queue: from, MaxConcurrency: atOnce,
		},
		Invoker: invoker{w, programs, start, batchOfQueue{w, from, handler}.invoke},
	}
	w.mu.Lock()
	w.chains.consumers[from] = programs[0]
	w.mu.Unlock()
	w.running.Go(func() { check(p.Run(w.ctx)) })
}

// Put puts a message into a queue that the platform would not send, and returns its id.
func (w *World) Put(to, body string) (id string) {
	return must(w.broker.Send(to, queue.Outgoing{Body: body}))
}

// PutLinked is Put for a message with a place in a chain, as package chain writes it.
func (w *World) PutLinked(to, body, place string) {
	link := queue.Attribute{DataType: "String", StringValue: place}
	must(w.broker.Send(to, queue.Outgoing{Body: body, Attributes: map[string]queue.Attribute{"Chain": link}}))
}

// Messages returns the messages of a queue.
func (w *World) Messages(of string) []queue.Message { return must(w.broker.Messages(of)) }

// Bodies returns those of all messages that ever got into a queue.
func (w *World) Bodies(of string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.logs[of]
}

// Redrive puts the dead letters of a queue back, as an operator does.
func (w *World) Redrive(to string) {
	check(w.broker.Redrive(to))
}

// check panics on an error: a queue that is missing, or a wrong pattern, is a mistake of the simulation.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// must is check for the error beside a value.
func must[V any](v V, err error) V {
	check(err)
	return v
}
