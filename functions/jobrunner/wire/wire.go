// Package wire assembles program jobrunner.
package wire

import (
	"minicloud/functions/jobrunner/consumer"
	"minicloud/shared/cloudfunction"
	"minicloud/shared/delivery"
	"minicloud/shared/job"
	"minicloud/shared/job/callback"
	"minicloud/shared/outbound/webhook"
	"minicloud/shared/program/backend"
	"minicloud/shared/program/backend/queues"
	"minicloud/shared/program/backend/sandboxes"
	"minicloud/shared/program/backend/secrets"
	"minicloud/shared/program/lambdabatch"
	"minicloud/shared/trace/chain"
)

// limits bound the messages of one job: it waits for a slot for five minutes, at least a second each, and its callback is
// tried ten times. Waiting is no progress, so both limits are the same.
var limits = chain.Limits{Generations: 1000, Idle: 1000}

// Program opens the stores and services of the program and returns its handler.
func Program(b *backend.Backend) any { return Handler(b, webhook.New(b.AllowPrivate())) }

// Handler is Program with the sender of callbacks; the simulation has no network.
func Handler(b *backend.Backend, receivers delivery.Sender) any {
	q := queues.Open(b)
	store, jobs, work, hosts, keys := b.Functions(), b.Jobs(), q.Jobs(), b.RunSigner(), secrets.Open(b)
	functions := &cloudfunction.Service{Store: store, Clock: b.Clock}
	group := &consumer.Group{Log: b.Log, Jobs: &job.Service{
		Functions: functions, Variables: &cloudfunction.Variables{Functions: functions, Store: store, Sealer: keys},
		Store: jobs, Runner: sandboxes.Open(b), Queue: work, Hosts: hosts,
		Callbacks: &callback.Service{
			Store: jobs, Keys: &callback.Keys{Store: jobs, Sealer: keys, Clock: b.Clock}, Depths: hosts,
			Sender: receivers, Clock: b.Clock, Log: b.Log,
		},
		IDs: b.IDs, Clock: b.Clock, Log: b.Log,
	}}
	dead := q.Dead("JOB_DEAD_LETTER_QUEUE_URL")
	return lambdabatch.Adapt(b.Log, lambdabatch.Bounded(dead, limits, group.Work, work.URL))
}
