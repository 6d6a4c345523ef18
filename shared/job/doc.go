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
// A job of the line for which there is no sandbox goes back to waiting; nothing
// of it ran. A terminal state never changes: every arrow is one conditional write that
// moves the job from one place to the next.
//
//	waiting    in the line of its function, until a worker begins it or it is given up
//	executing  in a slot of its application, until its worker ends it or the lease is over
//	terminal   in the history of its function, for 180 days; its end counts it in
//	           the tally of its hour, and Tick folds the tallies of hours that have
//	           passed, so that lists cost the page (infra/decisions/0015)
//
// # Slots
//
// The slot of an executing job is the record that it executes, so an
// application never runs more jobs than it has slots (D20), and whoever looks
// for the dead looks only into slots.
//
// # When something dies (D19, infra/decisions/0020)
//
// A worker does all that takes time before it takes a slot, and hands the run to the
// sandbox right after. So a job whose worker died
//
//	in the line   had not begun: its message is sent again after 30 s, then every 50 s
//	in a slot     counts as begun: it ends as execution_failed when its lease is over,
//	              by Reap or by the next one who wants the slot
//
//	lease over    40 s after it began or was renewed, which runs do every 25 s, and
//	              5 s after the time limit: 4 s for the worker to give up, and one
//	reaped        ≤ 10 s later, ≤ 20 s when a pass, or the tick that asks for them, is lost
//
// Every job is terminal 30 s after its time limit, from the moment it may run: one
// that begins more than 5 s after that has less time (Running.Limit).
//
// # Cost of a run in DynamoDB calls
//
//	sync    1 function, 1 begin (one item), 1 end (slot, history, tally in one transaction)
//	async   the same, and 1 accept before, 1 read of what was accepted
//	over 25 s   1 write more for every 25 s, which renews the lease
//	started by a function   1 write more, which counts it under the root call
package job
