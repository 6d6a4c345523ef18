// Package jobs measures asynchronous runs on a local cloud: how fast they are
// accepted and begun, how many a second it keeps up with, what one costs, and
// what a page of a very long history costs (JOBS=200000).
package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"minicloud/infra/lab/bench/api"
	"minicloud/infra/lab/bench/measure"
	"minicloud/infra/local/cloud"
	"minicloud/infra/local/stats"
	"minicloud/shared/id"
	"minicloud/shared/tenant"
)

const functions = "/oserve/v1.3/cloud-function/"

// bench is a cloud with a client.
type bench struct {
	measure.Report
	cloud  *cloud.Cloud
	client *api.Client
}

// Run prints the figures.
func Run(ctx context.Context, r measure.Report) error {
	c, client, stop, err := api.Platform(ctx)
	if err != nil {
		return err
	}
	defer stop()
	b := &bench{Report: r, cloud: c, client: client}
	for _, part := range []func(context.Context) error{b.idle, b.sustained, b.history} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// create makes a function and returns its id.
func (b *bench) create(ctx context.Context, name, code string) (id.ID, error) {
	body, err := json.Marshal(map[string]string{"name": name, "function_code": code})
	if err != nil {
		return 0, err
	}
	answer, err := b.client.Call(ctx, "POST", functions, string(body))
	if err != nil {
		return 0, err
	}
	var made struct {
		ID id.ID `json:"id"`
	}
	return made.ID, json.Unmarshal(answer, &made)
}

const trivial = "exports.main = async (event) => event.data.n"

func (b *bench) start(ctx context.Context, name string) error {
	_, err := b.client.Call(ctx, "POST", functions+name+"/job/", `{"data":{"n":1},"sync":false}`)
	return err
}

// idle starts one run after the other on a cloud that does nothing else.
func (b *bench) idle(ctx context.Context) error {
	if _, err := b.create(ctx, "idle", trivial); err != nil {
		return err
	}

	const warm, counted = 20, 200
	var before stats.Snapshot
	var accepts measure.Series
	for n := range warm + counted {
		if n == warm {
			if err := b.drain(ctx, "idle"); err != nil {
				return err
			}
			before = b.cloud.Stats()
		}

		began := time.Now()
		if err := b.start(ctx, "idle"); err != nil {
			return err
		}
		if n >= warm {
			accepts = append(accepts, time.Since(began))
		}

		time.Sleep(40 * time.Millisecond)
	}

	after := b.cloud.Stats()
	if err := b.drain(ctx, "idle"); err != nil {
		return err
	}

	jobs, err := b.list(ctx, "idle", counted)
	if err != nil {
		return err
	}

	b.Series("asynchronous run accepted", accepts, "≤ 5 ms")
	b.Series("accepted to begun, idle", series(jobs, func(j record) float64 { return j.Started - j.Created }), "≤ 100 ms")
	b.Series("accepted to ended, idle", series(jobs, func(j record) float64 { return j.Finished - j.Created }), "")
	b.Row(
		"DynamoDB write calls each", fmt.Sprintf("%.2f", writes(before, after, counted)), "≤ 5", "see infra/decisions/0030",
	)
	b.Row("  all calls", api.Calls(before, after, counted), "", "")

	return nil
}

// writes counts the DynamoDB calls that write.
func writes(before, after stats.Snapshot, n int) float64 {
	sum := int64(0)
	for _, operation := range []string{"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem"} {
		sum += after.DynamoDB[operation] - before.DynamoDB[operation]
	}
	return float64(sum) / float64(n)
}

// record is what is needed of a job in a list. Seconds.
type record struct {
	Status   string  `json:"status"`
	Created  float64 `json:"created_at"`
	Started  float64 `json:"started_at"`
	Finished float64 `json:"finished_at"`
}

type page struct {
	Meta struct {
		Next  *string `json:"next"`
		Total int     `json:"total_count"`
	} `json:"meta"`
	Objects []record `json:"objects"`
}

func (b *bench) page(ctx context.Context, path string) (page, error) {
	var p page
	answer, err := b.client.Call(ctx, "GET", path, "")
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(answer, &p)
}

// list returns the newest n jobs of a function, newest first.
func (b *bench) list(ctx context.Context, name string, n int) ([]record, error) {
	var all []record
	for path := functions + name + "/job/?limit=1000"; ; {
		p, err := b.page(ctx, path)
		if err != nil {
			return nil, err
		}

		all = append(all, p.Objects...)
		if len(all) >= n {
			return all[:n], nil
		}
		if p.Meta.Next == nil {
			return nil, fmt.Errorf("%d jobs, want %d", len(all), n)
		}

		next, err := url.Parse(*p.Meta.Next)
		if err != nil {
			return nil, err
		}

		path = next.RequestURI()
	}
}

// drain waits until no job of a function is open.
func (b *bench) drain(ctx context.Context, name string) error {
	for _, status := range []string{"waiting", "executing"} {
		for {
			p, err := b.page(ctx, functions+name+"/job/?limit=1&status="+status)
			if err != nil {
				return err
			}
			if p.Meta.Total == 0 {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	return nil
}

func series(jobs []record, seconds func(record) float64) measure.Series {
	var s measure.Series
	for _, j := range jobs {
		s = append(s, time.Duration(seconds(j)*float64(time.Second)))
	}
	return s
}

// sustained starts runs at a steady rate and looks whether they pile up.
func (b *bench) sustained(ctx context.Context) error {
	if _, err := b.create(ctx, "steady", trivial); err != nil {
		return err
	}

	const perSecond, lasting, atOnce = 200, 15 * time.Second, 16
	const n = perSecond * int(lasting/time.Second)
	failed, places := make(chan error, n), make(chan struct{}, atOnce)
	before := measure.Processor("")
	began := time.Now()
	for i := range n {
		time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / perSecond)))
		places <- struct{}{}
		go func() {
			failed <- b.start(ctx, "steady")
			<-places
		}()
	}

	for range n {
		if err := <-failed; err != nil {
			return err
		}
	}

	accepted := time.Since(began)
	if err := b.drain(ctx, "steady"); err != nil {
		return err
	}

	drained := time.Since(began) - accepted
	spent := measure.Processor("") - before
	jobs, err := b.list(ctx, "steady", n)
	if err != nil {
		return err
	}

	fulfilled := 0
	for _, j := range jobs {
		if j.Status == "fulfilled" {
			fulfilled++
		}
	}

	wait := func(j record) float64 { return j.Started - j.Created }
	b.Row(
		"steady runs accepted", fmt.Sprintf("%.0f/s", float64(n)/accepted.Seconds()), fmt.Sprintf("%d/s asked", perSecond),
		fmt.Sprintf("%d runs, %d fulfilled", n, fulfilled),
	)
	b.Row(
		"  left over at the end, gone after", fmt.Sprintf("%.0f ms", measure.MS(drained)), "≤ 1000 ms",
		"a growing backlog would take longer",
	)
	b.Row(
		"  processor time each", fmt.Sprintf("%.1f ms", measure.MS(spent)/float64(n)), "≤ 10 ms",
		"of this client, the local cloud and every program: 2 cores have 10 ms at 200/s",
	)
	b.Series("  accepted to begun, first third", series(jobs[2*n/3:], wait), "")
	b.Series("  accepted to begun, last third", series(jobs[:n/3], wait), "")

	return nil
}

// miniapp is the demo application.
func (b *bench) miniapp() tenant.AppID { return tenant.AppID(b.cloud.Credentials.Miniapp) }

// table returns the name of a table of the template.
func (b *bench) table(id string) string {
	for _, t := range b.cloud.Template.Tables {
		if t.ID == id {
			return t.Name
		}
	}
	return ""
}
