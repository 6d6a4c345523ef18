// Package job is about the runs of cloud functions and their records
// (endpoints 1–4, D17–D23, D47).
//
// # States
//
//	             accept                begin                    end
//	(async) ─────────────► waiting ─────────────► executing ─────────────► fulfilled           main gave a result
//	                          │                      ▲  │                  execution_failed    it threw, ran out of memory, or its worker died
//	(sync)  ──────────────────┼──────────────────────┘  │                  deadline_exceeded   the time was up
//	                          │                         │
//	                          ├─────────────────────────┴────────────────► schedule_failed     no slot in time, no sandbox to run in
//	                          └──────────────────────────────────────────► execution_rejected  audit status, function deleted, cancelled
//
// A job for which there is no sandbox is pending again; nothing of it ran. A terminal state never changes.
//
// # Words
//
//	pending    accepted, until a worker begins it or it is given up; its status is waiting
//	slot       the place of a job that executes: the record itself, so an application never runs more jobs than it has
//	           slots (D20: 100 or 10 by plan)
//	lease      until when an open job is left alone: its worker ends it before that, or renews it
//	expire     end a job whose lease is over: as execution_failed when it executed, as schedule_failed when it was pending
//	sweep      a look at the open jobs of all active functions
//	active     said of a function that may have open jobs: each process announces it once in 12 minutes
//
// # When something dies (D19, infra/decisions/0020, 0030)
//
// A worker does all that takes time before it takes a slot, and hands the run to the sandbox right after. So a job
// whose worker died
//
//	pending    had not begun: its message is sent again after 30 s, then every minute
//	in a slot  counts as begun: it ends as execution_failed when its lease is over: 40 s after it began or was renewed,
//	           which runs do every 25 s, and 5 s after its time limit: 4 s for the worker to give up, and one
//
// A job whose lease is over has ended then. Whoever reads or lists it, wants its slot, or sweeps, records that first:
// nobody sees it open any more, and nobody has to look for it in time. Every job is terminal 30 s after its time
// limit, from the moment it may run: one that begins more than 5 s after that has less time (Running.Limit).
//
// # Cost of a run in DynamoDB calls and write units
//
//	sync    1 of the function and the caller, 1 begin (1 unit), 1 end (slot and record in one transaction, 4)
//	async   1 of the function and the caller, 1 accept (1), 1 read of what was accepted,
//	        1 begin (a transaction, 4), 2 for the end (record, then slot: 2)
//	not fulfilled   2 units more, for the list of its status; an asynchronous one 4
//	over 25 s       1 unit more for every 25 s, which renews the lease
//	started by a function   1 unit more, which counts it under the root call
//	with a callback         the end is a transaction with two items more: 8 units in place of 2; and 4 reads and 4 units
//	                        for each attempt
package job
