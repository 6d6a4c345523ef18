// Package job runs cloud functions and keeps the records of their runs (endpoints 1–4; D17–D23 define event, result,
// states, slots, accounting and logs, D47 delayed runs).
//
// Package event builds the argument of main, runlog stores the logs, callback delivers results to a callback_url.
//
// # States
//
//	             accept                begin                    end
//	(async) ─────────────► waiting ─────────────► executing ─────────────► fulfilled           main returned a value
//	                          │                      ▲  │                  execution_failed    it threw, ran out of memory, or its worker died
//	(sync)  ──────────────────┼──────────────────────┘  │                  deadline_exceeded   the time limit was reached
//	                          │                         │
//	                          ├─────────────────────────┴────────────────► schedule_failed     no slot in time, or no sandbox capacity
//	                          └──────────────────────────────────────────► execution_rejected  audit status, function deleted, cancelled
//
// A job that gets no sandbox becomes pending again, because none of its code ran. A terminal state never changes.
//
// # Terms
//
//	pending    a job from its acceptance until a worker begins it or gives it up; its status is waiting
//	slot       a concurrency slot: it stores the executing job itself, so an application never runs more jobs than
//	           it has slots (D20: 100 or 10 by plan)
//	lease      the time until which only its worker may end a job: the worker ends it before, or renews the lease
//	expire     end a job whose lease is over: as execution_failed when it executed, as schedule_failed when it was pending
//	sweep      a check of the open jobs of all active functions
//	active     a function that may have open jobs: each process announces it once in 12 minutes
//
// # Process failures (D19, infra/decisions/0020, 0030)
//
// A worker does all slow work before it takes a slot, and starts the sandbox immediately after. So the state of a job
// whose worker died determines the recovery:
//
//	pending    had not begun: its message is sent again after 30 s, then every minute
//	in a slot  counts as begun: it ends as execution_failed when its lease is over. A lease lasts 40 s from the start
//	           or the last renewal (every 25 s), and ends at most 5 s after the time limit: 4 s for the worker to
//	           give up, and 1 s of margin
//
// Every read, list, search for a slot and sweep first expires the jobs whose lease is over. So no caller sees such a
// job as open, and correctness does not depend on the timing of sweeps. Every job is terminal 30 s after its time
// limit, counted from the moment it may run: a job that begins more than 5 s late has less time (Running.Limit).
//
// # Cost of a run in DynamoDB calls and write units
//
//	sync    1 of the function and the caller, 1 begin (1 unit), 1 end (slot and record in one transaction, 4)
//	async   1 of the function and the caller, 1 accept (1), 1 read of the pending job,
//	        1 begin (a transaction, 4), 2 for the end (record, then slot: 2)
//	not fulfilled   2 units more, for the list of its status; an asynchronous one 4
//	over 25 s       1 unit more for every 25 s, which renews the lease
//	started by a function   1 unit more, which counts it under the root call
//	with a callback         the end is a transaction with two more items: 8 units instead of 2; and 4 reads and 4 units
//	                        for each attempt
package job
