package fault

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"

	"minicloud/infra/lab/promise"
)

// saw notes an event with the triggers that wait for such events, but for those that are deaf to it.
func (a *loadedApp) saw(line, mark string, known promise.Need, event map[string]any, holds func(*watcher) bool) {
	if known == refused {
		return
	}
	for _, w := range a.watchers {
		if w.line == line && (w.deaf == nil || !w.deaf(event)) {
			w.Saw(mark, holds(w), known)
		}
	}
}

// rowLife is a client that creates rows, changes them and deletes some, each request until it is answered. One in
// twenty rows fires nothing.
func (a *loadedApp) rowLife() turn {
	return func(random *rand.Rand) (events int) {
		defer a.load.busy()()
		quiet := ""
		if random.IntN(20) == 0 {
			quiet = "?enable_trigger=0"
		}

		row, id := map[string]any{}, ""
		drawRow(random, row, a.mark())
		id, ok := a.createRow(random, row, quiet)
		events++
		for range random.IntN(4) {
			if !ok {
				return events
			}
			ok = a.updateRow(random, id, row, quiet)
			events++
		}
		if ok && random.IntN(2) == 0 {
			a.deleteRow(id, row, quiet)
			events++
		}
		return events
	}
}

// drawRow sets some columns; note, which changes each time, has the key of the request.
func drawRow(random *rand.Rand, row map[string]any, key string) {
	row["note"] = key
	if random.IntN(4) > 0 {
		row["n"] = random.IntN(100)
	}
	if random.IntN(4) > 0 {
		row["s"] = drawText(random)
	}
	if random.IntN(4) > 0 {
		row["b"] = random.IntN(2) == 0
	}
}

func (a *loadedApp) createRow(random *rand.Rand, row map[string]any, quiet string) (id string, ok bool) {
	r := request{method: "POST", path: rowsPath(a.table) + quiet, key: row["note"].(string), body: row}
	answer, e := a.repeat(random, r)
	var made struct {
		ID string `json:"id"`
	}
	if err := answer.decode(&made); err != nil || e.wrong != "" {
		a.load.fail("create %s: %v %s", r.key, err, e.wrong)
	}

	a.load.count(rowCreated, e.known)
	if quiet == "" && made.ID != "" {
		after := maps.Clone(row)
		a.saw(rowCreated, made.ID, e.known, after, func(w *watcher) bool { return w.rows.Holds(nil, after) })
	}
	return made.ID, e.known == acknowledged
}

func (a *loadedApp) updateRow(random *rand.Rand, id string, row map[string]any, quiet string) (ok bool) {
	before, change := maps.Clone(row), map[string]any{}
	drawRow(random, change, a.mark())
	maps.Copy(row, change)
	r := request{
		method: "PUT", path: updatesPath(a.table) + id + "/" + quiet, key: change["note"].(string), body: change,
	}
	answer, e := a.repeat(random, r)
	if err := answer.failure(); err != nil || e.wrong != "" {
		a.load.fail("update %s: %v %s", r.key, err, e.wrong)
	}

	a.load.count(rowUpdated, e.known)
	if quiet == "" {
		after := maps.Clone(row)
		a.saw(rowUpdated, id, e.known, after, func(w *watcher) bool { return w.rows.Holds(before, after) })
	}
	return e.known == acknowledged
}

// deleteRow deletes until the row is gone: a delete that is repeated finds what the first has done.
func (a *loadedApp) deleteRow(id string, row map[string]any, quiet string) {
	r := request{method: "DELETE", path: rowsPath(a.table) + id + "/" + quiet}
	known := until(func() reply {
		answer := a.send(context.Background(), r)
		if answer.status == http.StatusNotFound {
			answer.status = http.StatusNoContent
		}
		return answer
	})

	a.load.count(rowDeleted, known)
	if quiet == "" {
		a.saw(rowDeleted, id, known, row, func(w *watcher) bool { return w.rows.Holds(row, nil) })
	}
}

// plantOrder makes an order that waits to be paid: events that say another amount are refused.
func (a *loadedApp) plantOrder(ctx context.Context) error {
	order := a.order("altpay_wap", "held-"+a.name, 1.5)
	order["status"] = "pending"
	if err := a.onBus(ctx, "payment", order).failure(); err != nil {
		return fmt.Errorf("an order: %w", err)
	}

	service := a.service()
	return within(ctx, repeatFor, "the order "+order["trade_no"].(string), func() (bool, error) {
		var found struct {
			Meta struct {
				Total int `json:"total_count"`
			} `json:"meta"`
		}
		err := service.call(ctx, "GET", ordersPath+"&return_total_count=1", nil, &found)
		return found.Meta.Total > 0, err
	})
}
