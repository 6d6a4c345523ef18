package lambdahost

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"minicloud/infra/local/server"
)

// runtimeAPI serves /<instance>/2018-06-01/runtime/…, the API that aws-lambda-go calls.
func (h *Host) runtimeAPI(w http.ResponseWriter, r *http.Request) {
	id, call, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/2018-06-01/runtime/")
	h.mu.Lock()
	i := h.instances[id]
	h.mu.Unlock()
	if i == nil {
		http.Error(w, `{"errorType":"NoSuchInstance"}`, http.StatusForbidden)
		return
	}
	if <-i.born; i.process == nil {
		return
	}
	if call == "invocation/next" && r.Method == http.MethodGet {
		h.next(w, r, i)
		return
	}
	if r.Method != http.MethodPost {
		http.Error(w, `{"errorType":"NotFound"}`, http.StatusNotFound)
		return
	}

	if call == "init/error" {
		body, _ := io.ReadAll(io.LimitReader(r.Body, maxAnswer))
		i.mu.Lock()
		i.initFault = body
		i.mu.Unlock()
		accepted(w)
		return
	}

	request, verdict, _ := strings.Cut(strings.TrimPrefix(call, "invocation/"), "/")
	inv := i.running(request)
	if inv == nil || (verdict != "response" && verdict != "error") {
		http.Error(w, `{"errorType":"InvalidRequestID","errorMessage":"Invalid request ID"}`, http.StatusBadRequest)
		return
	}

	result, ok := readResult(w, r, verdict)
	if !ok {
		return
	}

	h.markAnswered(i) // before the caller gets the result and can invoke again
	inv.finish(result)
}

// next waits for the instance's next invocation and responds with it.
func (h *Host) next(w http.ResponseWriter, r *http.Request, i *instance) {
	i.settle()
	if !h.give(i) {
		return
	}
	i.asked.Do(func() {
		h.cfg.Stats.AddN("init", i.pool.function.Name, int64(time.Since(i.started)/time.Microsecond))
		close(i.first)
	})
	thaw := h.freeze(i)
	defer thaw()
	select {
	case inv := <-i.work:
		thaw()
		h.govern(i, inv)
		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set("Content-Length", strconv.Itoa(len(inv.payload)))
		header.Set("Lambda-Runtime-Aws-Request-Id", inv.id)
		header.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(inv.deadline.UnixMilli(), 10))
		header.Set("Lambda-Runtime-Trace-Id", inv.trace)
		header.Set("Lambda-Runtime-Invoked-Function-Arn", i.pool.function.arn)
		if i.pool.tenant != "" {
			header.Set("Lambda-Runtime-Aws-Tenant-Id", i.pool.tenant)
		}
		_, _ = w.Write(inv.payload)
	case <-r.Context().Done():
		// The program closed the connection. Kill it, so that an invocation already sent to it fails.
		i.process.Kill()
	case <-i.process.Done():
	}
}

// readResult reads the result of an invocation; ok is false if none arrived.
func readResult(w http.ResponseWriter, r *http.Request, verdict string) (result Result, ok bool) {
	body, err := server.ReadBody(r, maxAnswer)
	if err != nil {
		// The usual cause is a broken connection, because the process is ending.
		http.Error(w, `{"errorType":"InvalidRequest","errorMessage":"the answer did not arrive"}`, http.StatusBadRequest)
		return Result{}, false
	}

	if len(body) > maxAnswer {
		http.Error(w, `{"errorType":"RequestEntityTooLarge"}`, http.StatusRequestEntityTooLarge)
		return unhandled(fault("Function.ResponseSizeTooLarge",
			fmt.Sprintf("Response payload size exceeded maximum allowed payload size (%d bytes).", maxAnswer))), true
	}

	result = Result{Payload: body}
	if verdict == "error" {
		result.FunctionError = "Unhandled"
	}

	if kind := r.Trailer.Get("Lambda-Runtime-Function-Error-Type"); kind != "" {
		result = unhandled(fault(kind, "the program broke off its answer"))
		if said, err := base64.StdEncoding.DecodeString(r.Trailer.Get("Lambda-Runtime-Function-Error-Body")); err == nil &&
			len(said) > 0 {
			result.Payload = said
		}
	}

	accepted(w)

	return result, true
}

func accepted(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, `{"status":"OK"}`)
}
