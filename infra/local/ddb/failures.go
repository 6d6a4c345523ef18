package ddb

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
)

// throttled lists what responses say when a request exceeds the throughput of a partition, a table or the account.
var throttled = []string{
	"ProvisionedThroughputExceeded", "ThrottlingException", "ThrottlingError", "RequestLimitExceeded",
}

// reportFailure records a refused or failed request in the metrics of each of its tables, as DynamoDB does. Requests that
// the caller got wrong are in neither metric.
func (p *Proxy) reportFailure(r *request, status int, content []byte) {
	metric := ""
	switch {
	case status >= http.StatusInternalServerError:
		metric = "SystemErrors"
	case slices.ContainsFunc(throttled, func(said string) bool { return bytes.Contains(content, []byte(said)) }):
		metric = "ThrottledRequests"
	default:
		return
	}
	for _, table := range tablesOf(r.body) {
		p.cfg.Metrics.Put("AWS/DynamoDB", metric, 1, "Operation", r.operation, "TableName", table)
	}
}

// tablesOf returns the tables that a request names, each once: of one item, of a batch or of a transaction.
func tablesOf(body []byte) (out []string) {
	var in struct {
		TableName     string
		RequestItems  map[string]json.RawMessage
		TransactItems []map[string]struct{ TableName string }
	}
	if json.Unmarshal(body, &in) != nil {
		return nil
	}
	names := map[string]bool{in.TableName: true}
	for name := range in.RequestItems {
		names[name] = true
	}
	for _, item := range in.TransactItems {
		for _, action := range item {
			names[action.TableName] = true
		}
	}
	for name := range names {
		if name != "" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
