package lambdahost

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"minicloud/infra/local/unkind"
	"minicloud/shared/id"
)

// maxRounds is how often a chain of requests invokes a function before Lambda stops it: "approximately 16 times".
const maxRounds = 16

// Lambda counts the invocations of a chain of requests in the trace header: Lineage=<function>:<count>|<function>:<count>.
// The SDK of a program sends the header of its invocation with each call, SQS keeps it with the message, and the event
// source gives it back.

// lineage returns the rounds of a chain by function.
func lineage(trace string) map[string]int {
	rounds := map[string]int{}
	// The SDK escapes the separators.
	if plain, err := url.PathUnescape(trace); err == nil {
		trace = plain
	}
	for part := range strings.SplitSeq(trace, ";") {
		list, ok := strings.CutPrefix(part, "Lineage=")
		if !ok {
			continue
		}
		for entry := range strings.SplitSeq(list, "|") {
			function, count, _ := strings.Cut(entry, ":")
			if n, err := strconv.Atoi(count); err == nil {
				rounds[function] = n
			}
		}
	}
	return rounds
}

// inLineage returns the name of a function in a lineage.
func inLineage(function string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(function))
	return fmt.Sprintf("%08x", h.Sum32())
}

// Rounds returns how often a chain of requests has invoked a function.
func Rounds(trace, function string) int { return lineage(trace)[inLineage(function)] }

// traceRoot matches the root in a trace header.
var traceRoot = regexp.MustCompile(`(?:^|;)Root=(1-[0-9a-f]{8}-[0-9a-f]{24})(?:;|$)`)

// Root returns the root in a trace header, or a new one: version, time and random part.
func Root(trace string, now time.Time) string {
	if found := traceRoot.FindStringSubmatch(trace); found != nil {
		return found[1]
	}
	return fmt.Sprintf("1-%08x-%s", now.Unix(), id.Hex(12))
}

// nextTrace returns the trace header of an invocation of a function within a chain. Lambda decides about sampling; the
// local cloud samples every invocation of a traced function.
func nextTrace(trace, function string, sampled bool) string {
	rounds := lineage(trace)
	rounds[inLineage(function)]++
	var list []string
	for name, n := range rounds {
		list = append(list, name+":"+strconv.Itoa(n))
	}
	mark := "0"
	if sampled {
		mark = "1"
	}
	return "Root=" + Root(trace, time.Now()) + ";Parent=" + id.Hex(8) + ";Sampled=" + mark + ";Lineage=" +
		strings.Join(list, "|")
}

// follow refuses an invocation that continues a recursive loop.
func (h *Host) follow(f *function, trace string) error {
	most := h.cfg.Unkind.Number(unkind.RecursiveLoops)
	if most == 0 && f.AllowsLoops {
		return nil
	}
	if Rounds(trace, f.Name) < cmp.Or(most, maxRounds) {
		return nil
	}
	h.cfg.Stats.Add("recursive", f.Name)
	h.report(f, "RecursiveInvocationsDropped", 1)
	return &Error{
		Status: http.StatusBadRequest, Type: "RecursiveInvocationException",
		Message: "Lambda has detected your function being invoked in a recursive loop with other AWS resources and stopped " +
			"your function's invocation.",
	}
}
