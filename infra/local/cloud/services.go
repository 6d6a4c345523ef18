package cloud

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"minicloud/infra/local/async"
	"minicloud/infra/local/bucket"
	"minicloud/infra/local/bucket/objects"
	"minicloud/infra/local/bus"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/keys"
	"minicloud/infra/local/lambdahost"
	"minicloud/infra/local/outbox"
	"minicloud/infra/local/queue"
	"minicloud/infra/local/ses"
	"minicloud/infra/local/template"
	"minicloud/infra/local/vendors"
	"minicloud/infra/local/vendors/payvendor"
	"minicloud/shared/clock"
)

// startServices starts all services that programs call, except the database.
func (c *Cloud) startServices(context.Context) error {
	counted := func(group string) func(string) {
		return func(operation string) { c.counters.Add(group, operation) }
	}
	var err error
	c.broker, err = queue.Open(
		c.cfg.DataDir, append([]*template.Queue{async.Queue()}, c.Template.Queues...), clock.System, c.log,
	)
	if err != nil {
		return err
	}

	c.broker.Metrics = c.metrics
	c.onStop(c.broker.Close)
	c.queues = &queue.API{Broker: c.broker, BaseURL: c.Services, Count: counted("sqs"), Unkind: c.unkind}
	if err := c.openBuckets(counted("s3")); err != nil {
		return err
	}
	ring, err := keys.Open(filepath.Join(c.cfg.DataDir, "keys.json"), ddb.Region, c.Template.Keys, c.data)
	if errors.Is(err, keys.ErrUnusable) {
		return fmt.Errorf("%w: %s", err, c.beginAnew())
	}
	if err != nil {
		return err
	}

	c.keys = &keys.API{Ring: ring, Count: counted("kms")}
	box, err := outbox.Open(filepath.Join(c.cfg.DataDir, "outbox.jsonl"))
	if err != nil {
		return err
	}

	c.onStop(func() { box.Close() })
	c.outbox = &outbox.API{Box: box, Clock: clock.System, Count: counted("outbox"), Metrics: c.metrics}
	c.mails, err = ses.Open(ses.Config{
		Path: filepath.Join(c.cfg.DataDir, "ses.json"), Box: box, Sets: c.Template.ConfigurationSets, Region: ddb.Region,
		URL: c.URL, Sandbox: c.cfg.MailSandbox, Clock: clock.System, Count: counted("outbox"),
		Metrics: c.metrics,
		Event: func(detailType string, resources []string, detail []byte) {
			if _, _, err := c.bus.Put("default", detailType, "aws.ses", clock.System(), resources, detail); err != nil {
				c.log.Error("an event of a mail", "error", err.Error())
			}
		},
	})
	if err != nil {
		return err
	}
	c.hook = &outbox.Hook{Box: box, Clock: clock.System}
	c.vendors = &vendors.API{Box: box, Clock: clock.System, Count: counted("outbox")}
	c.payvendor = &payvendor.API{Clock: clock.System, Count: counted("outbox"), Send: http.DefaultClient.Do}
	c.runner = &async.Runner{Broker: c.broker, Policies: map[string]template.Async{}, Clock: clock.System, Log: c.log}
	for _, f := range c.Template.Functions {
		c.runner.Policies[f.Name] = f.Async
	}

	c.host, err = lambdahost.New(lambdahost.Config{
		Functions: c.functions(), Region: ddb.Region, LogDir: filepath.Join(c.cfg.DataDir, "logs"),
		Terminal: c.cfg.Terminal, IdleFor: c.cfg.IdleFor, Stats: c.counters, Later: c.runner.Later, Unkind: c.unkind,
		Metrics: c.metrics, Line: c.watch.Line,
	})
	if err != nil {
		return err
	}

	c.onStop(c.host.Close)
	// Host and runner need each other, so this field is set afterwards.
	c.runner.Invoker = c.host
	c.bus, err = bus.New(bus.Config{
		Template: c.Template, Broker: c.broker, Later: c.host.InvokeLater, Invoker: c.host,
		Region: ddb.Region, Clock: clock.System, Log: c.log, Count: counted("events"),
		Unkind: c.unkind,
	})
	if err != nil {
		return err
	}
	return c.notify()
}

// openBuckets opens the buckets of the template.
func (c *Cloud) openBuckets(count func(string)) error {
	var names []string
	rules := map[string][]template.CORSRule{}
	for _, b := range c.Template.Buckets {
		names = append(names, b.Name)
		rules[b.Name] = b.CORS
	}
	store, err := objects.Open(filepath.Join(c.cfg.DataDir, "buckets"), names, clock.System)
	if err != nil {
		return err
	}
	c.onStop(store.Close)
	c.buckets = &bucket.API{
		Store: store, Count: count, CORS: rules, Unkind: c.unkind,
		Allow: func(authorization, action, resource string) error {
			return c.tell(c.gate.Check(authorization, action, "", resource))
		},
	}
	return nil
}

// notify has events of buckets sent to the bus.
func (c *Cloud) notify() error {
	var notified []string
	for _, b := range c.Template.Buckets {
		if b.Notifies {
			notified = append(notified, b.Name)
		}
	}
	return c.buckets.Store.Notify(objects.Events{
		Unkind: c.unkind, Failed: func(err error) { c.log.Error(err.Error()) },
		Put: func(detailType string, resources []string, at time.Time, detail []byte) error {
			_, _, err := c.bus.Put("default", detailType, "aws.s3", at, resources, detail)
			return err
		},
	}, notified)
}

// CrashQueues makes only the queues crash and stay down for a while, for tests of recovery.
func (c *Cloud) CrashQueues(down time.Duration) error { return c.broker.Crash(down) }
