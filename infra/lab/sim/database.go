package sim

import (
	"bytes"
	"net/http"
	"time"
)

// do performs a call. Other calls go on during a transaction, and may conflict with it.
func (w *World) do(c *call) {
	lasts := time.Duration(0)
	if c.service == dynamoDB {
		lasts = w.database.Lasts(c.operation)
	}
	if lasts == 0 {
		w.perform(c, c.answer)
		return
	}
	// Two that begin at one instant must not end at one: whose writes are first would follow from the scheduler.
	lasts = w.faultRandom.Jitter(lasts)
	w.running.Go(func() { c.answer(w.ask(c, lasts)) })
}

// ask makes a call of the database, which is under way for some time.
func (w *World) ask(c *call, lasts time.Duration) answer {
	status, body, err := w.database.Answer(c.operation, c.body, lasts, func(operation string, body []byte) (int, []byte, error) {
		var status int
		var answer []byte
		w.shake()
		w.progressing(c, func() { status, answer = w.DB.Answer(operation, body) })
		return status, answer, nil
	})
	w.changed()
	if kind := refusedBy(body); status != http.StatusOK && kind != "" && w.OnCall != nil {
		w.OnCall(kind, c.by.Program, c.operation, c.sorted, c.of)
	}
	return answer{status: status, body: body, err: err}
}

// refusedBy names the unkindness by which the database refused a call, "" for none.
func refusedBy(answer []byte) string {
	switch {
	case bytes.Contains(answer, []byte("TransactionConflict")):
		return "conflict"
	case bytes.Contains(answer, []byte("ThrottlingE")): // ThrottlingException, or ThrottlingError of a part
		return "hot partition"
	}
	return ""
}
