package jobdb_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/clock"
	"minicloud/shared/count"
	"minicloud/shared/dynamo/countdb"
	"minicloud/shared/dynamo/jobdb"
	"minicloud/shared/id"
	"minicloud/shared/idempotency/writetoken"
	"minicloud/shared/job"
	"minicloud/shared/job/callback"
	"minicloud/shared/job/event"
	"minicloud/shared/job/runlog"
	"minicloud/shared/page"
	"minicloud/shared/tenant"
)

var errWrong = errors.New("no call fails, and the answer is wrong")

// wrong returns err, or errWrong if err is nil and the answer is not ok.
func wrong(err error, ok bool) error {
	if err == nil && !ok {
		return errWrong
	}
	return err
}

// TestReturnsDatabaseErrors: whichever call fails, the error of DynamoDB is returned.
func TestReturnsDatabaseErrors(t *testing.T) {
	client, ctx, n := newJobs(t).Client, t.Context(), 0
	scenarios := map[string]func(*jobdb.Store, job.Record) []func() error{
		"a pending job": func(s *jobdb.Store, r job.Record) []func() error {
			w := job.PendingJob{Record: r, Ready: noon, Input: event.Input{Data: []byte(`"` + incompressible(3<<10) + `"`)}}
			run := running(r, n)
			return []func() error{
				func() error { return s.Accept(ctx, shop, w, true) },
				func() error {
					due, err := s.Due(ctx, noon.Add(time.Hour), 1000)
					for _, d := range due {
						if d.Job == r.ID {
							return s.Drop(ctx, d)
						}
					}
					return wrong(err, false)
				},
				func() error {
					got, err := s.ReadPending(ctx, shop, fn, r.ID)
					return wrong(err, string(got.Input.Data) == string(w.Input.Data))
				},
				func() error {
					pending, err := s.Pending(ctx, shop, fn, noon.Add(time.Millisecond))
					return wrong(err, len(pending) > 0)
				},
				func() error { return s.Begin(ctx, run, job.Pending) },
				func() error { return s.PutBack(ctx, run, w) },
				func() error {
					got, err := s.Read(ctx, shop, fn, r.ID, noon)
					return wrong(err, got.Status == job.StatusWaiting)
				},
				func() error { return failed(s.End(ctx, shop, ended(r, job.StatusDeadlineExceeded), job.Pending)) },
			}
		},
		"a job that runs": func(s *jobdb.Store, r job.Record) []func() error {
			r.Token, r.Callback = writetoken.Named(fmt.Sprint(n), noon.Add(time.Hour)), "https://books.example/"
			run := running(r, n)
			over := ended(run.Record, job.StatusExecutionFailed)
			over.Token, over.Callback, over.Result = r.Token, r.Callback, []byte("7")
			over.Log = runlog.Pack(incompressible(20 << 10))
			return []func() error{
				func() error { return s.Begin(ctx, run, job.Nowhere) },
				func() error { return s.Renew(ctx, run, noon.Add(time.Hour)) },
				func() error {
					got, err := s.Read(ctx, shop, fn, r.ID, noon)
					return wrong(err, got.Status == job.StatusExecuting && got.Lease.Equal(noon.Add(time.Hour)))
				},
				func() error { return failed(s.End(ctx, shop, over, job.InSlot)) },
				func() error {
					got, err := s.Read(ctx, shop, fn, r.ID, noon)
					return wrong(err, got.Status == over.Status && string(got.Log.Stored) == string(over.Log.Stored))
				},
				func() error {
					started, err := s.Started(ctx, shop, r.Token)
					return wrong(err, started.Job == r.ID && started.Known && string(started.Result) == "7")
				},
				func() error {
					old, err := s.Callback(ctx, shop, fn, r.ID)
					if err != nil || string(old.Result) != "7" || old.Status != callback.Pending {
						return wrong(err, false)
					}
					next := old
					next.Attempts, next.Next = 1, old.Next.Add(time.Minute)
					return s.PutCallback(ctx, shop, old, next)
				},
			}
		},
		"one that leaves its slot by itself": func(s *jobdb.Store, r job.Record) []func() error {
			r.Service = job.Batch
			run := running(r, n)
			return []func() error{
				func() error { return s.Begin(ctx, run, job.Nowhere) },
				func() error { return failed(s.End(ctx, shop, ended(run.Record, job.StatusFulfilled), job.InSlot)) },
				func() error {
					held, err := s.Slots(ctx, shop.App)
					for _, other := range held {
						err = errors.Join(err, wrong(nil, other.ID != r.ID))
					}
					return err
				},
			}
		},
		"one whose time is over": func(s *jobdb.Store, r job.Record) []func() error {
			run := running(r, n)
			return []func() error{
				func() error { return s.Begin(ctx, run, job.Nowhere) },
				func() error { return failed(s.Expire(ctx, shop, ended(run.Record, job.StatusExecutionFailed))) },
			}
		},
		"what is beside jobs": func(s *jobdb.Store, _ job.Record) []func() error {
			in, made := shop, callback.Key{Sealed: []byte("key"), MadeAt: noon}
			in.App += tenant.AppID(n)
			a := job.Active{Scope: shop, Function: id.ID(n), Until: noon}
			return []func() error{
				func() error { return s.InsertLinkKey(ctx, int64(n), []byte("key"), noon) },
				func() error {
					key, err := s.LinkKey(ctx, int64(n))
					return wrong(err, string(key) == "key")
				},
				func() error { return s.Descend(ctx, in, 7, 1, noon) },
				func() error { return s.Announce(ctx, a) },
				func() error {
					active, err := s.Active(ctx)
					return wrong(err, len(active) > 0)
				},
				func() error { return s.Forget(ctx, a) },
				func() error { return s.PutCallbackKey(ctx, in, made, time.Time{}) },
				func() error {
					got, err := s.CallbackKey(ctx, in)
					return wrong(err, string(got.Sealed) == "key" && got.MadeAt.Equal(noon))
				},
			}
		},
		"what is counted": func(s *jobdb.Store, _ job.Record) []func() error {
			return []func() error{
				func() error {
					_, err := s.Ended(ctx, shop, fn, noon.Add(-time.Hour), noon)
					return err
				},
				func() error {
					return s.Collections(ctx, func(c count.Collection) error {
						return s.Records(ctx, c, 0, 1<<53-1, func(id.ID, string) {})
					})
				},
			}
		},
	}
	runs := running(madeAt(noon.Add(-time.Second)), 0)
	if err := (&jobdb.Store{Client: client, Table: "JobsTable"}).Begin(ctx, runs, job.Nowhere); err != nil {
		t.Fatal(err)
	}
	for i, f := range []job.Filter{
		{}, {Status: job.StatusWaiting}, {Status: job.StatusExecuting}, {Status: job.StatusFulfilled},
	} {
		for _, req := range []page.Request{firstPage, {Limit: 1, Offset: 1001}} {
			scenarios[fmt.Sprint("list ", i, req.Offset)] = func(s *jobdb.Store, _ job.Record) []func() error {
				return []func() error{func() error {
					_, err := s.List(ctx, shop, fn, f, noon, req)
					return err
				}}
			}
		}
	}

	for name, do := range scenarios {
		t.Run(name, func(t *testing.T) {
			dynamotest.FailEach(t, client, func(c *dynamodb.Client) error {
				n++
				r := madeAt(noon)
				r.ID = id.First(noon) + id.ID(n)
				s := &jobdb.Store{
					Client: c, Table: "JobsTable",
					Counts: &countdb.Store{Client: c, Table: "CountsTable", Clock: clock.System},
				}
				for i, call := range do(s, r) {
					if err := call(); err != nil {
						return fmt.Errorf("step %d: %w", i, err)
					}
				}
				return nil
			})
		})
	}
}
