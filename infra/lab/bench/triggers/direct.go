package triggers

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"minicloud/infra/lab/bench/measure"
	"minicloud/shared/clock"
	"minicloud/shared/dynamo/rowdb"
	"minicloud/shared/dynamo/triggerdb"
	"minicloud/shared/id"
	"minicloud/shared/queue"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
	"minicloud/shared/trigger"
)

// nowhere stores no run and sends no message.
type nowhere struct{}

func (nowhere) Start(
	_ context.Context, r trigger.Run, _ trigger.Frequency, _ time.Time,
) (trigger.Started, error) {
	return trigger.Started{Run: r, Ask: []trigger.Run{r}}, nil
}

func (nowhere) Run(context.Context, tenant.Scope, trigger.Ref) (trigger.Run, error) {
	return trigger.Run{}, nil
}

func (nowhere) Send(context.Context, trigger.Message, string, time.Duration) error { return nil }

// direct gives events to an engine in this process: what conditions cost, and what storing what they fire adds.
func (b *bench) direct(ctx context.Context, ids []string) error {
	schemas := &rowdb.Tables{Client: b.database, Name: b.table("TablesTable")}
	runs := &triggerdb.Runs{Client: b.database, Table: b.table("TriggerLogTable")}
	happened, err := b.happened(ctx, schemas, ids)
	if err != nil {
		return err
	}

	engine := func(runs trigger.Runs, to trigger.Queue) *trigger.Engine {
		return &trigger.Engine{
			Triggers: &triggerdb.Triggers{Client: b.database, Table: b.table("TriggersTable")}, Schemas: schemas,
			Runs: runs, Queue: to, Clock: clock.System,
		}
	}
	for _, way := range []struct {
		name   string
		engine *trigger.Engine
	}{
		{"Engine.Fire alone, nothing is stored", engine(nowhere{}, nowhere{})},
		{"Engine.Fire, runs stored, messages sent", engine(runs, &queue.Actions{
			Queue: queue.Queue{Client: b.queue, URL: b.queueURL("ActionQueue")},
		})},
	} {
		took := time.Duration(0)
		for n, passes := 0, 2; n < passes; n++ { // the first finds the triggers
			began := time.Now()
			if _, err := fire(ctx, way.engine, happened[n]); err != nil {
				return err
			}
			took = time.Since(began)
		}
		b.Row(way.name, fmt.Sprintf("%.0f/s", busyRows/took.Seconds()), "",
			fmt.Sprintf("%.3f ms each, in batches of 100", measure.MS(took)/busyRows))
	}
	return nil
}

// fire gives events to an engine in batches, as the stream does.
func fire(ctx context.Context, e *trigger.Engine, events []trigger.Event) (done int, err error) {
	const batch = 100
	for from := 0; from < len(events); from += batch {
		n, err := e.Fire(ctx, events[from:min(from+batch, len(events))])
		if done += n; err != nil {
			return done, err
		}
	}
	return done, nil
}

// happened are new rows of all tables, twice: from table to table, as the rows of many come together.
func (b *bench) happened(
	ctx context.Context, schemas *rowdb.Tables, ids []string,
) (twice [2][]trigger.Event, err error) {
	var all []table.Table
	for _, text := range ids {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return twice, err
		}
		t, err := schemas.Table(ctx, b.scope(), table.ID(n))
		if err != nil {
			return twice, err
		}
		all = append(all, t)
	}

	var source id.Source
	for pass := range twice {
		for i := range rowsEach {
			for _, t := range all {
				at := time.Now()
				row := table.Row{
					ID: table.RowID(fmt.Sprint(int64(source.New(at)))), Revision: 1,
					Fields: map[string]any{"city": draft(i)["city"], "height": int64(draft(i)["height"].(int))},
				}
				e, ok := trigger.RowEvent(b.scope(), "bench"+string(row.ID), at, t, nil, &row)
				if !ok {
					return twice, fmt.Errorf("a new row of table %s is no event", t.Name)
				}
				e.Revision = t.Revision
				twice[pass] = append(twice[pass], e)
			}
		}
	}
	return twice, nil
}
