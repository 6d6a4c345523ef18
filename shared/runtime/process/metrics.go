package process

import (
	"encoding/json"
	"io"
	"time"
)

// metricNamespace is the CloudWatch namespace of the metrics of runs.
const metricNamespace = "minicloud/sandbox"

// WriteMetrics writes one run as a line of CloudWatch's embedded metric format. The line contains numbers and the
// outcome, but no data of the application.
func WriteMetrics(w io.Writer, function string, at time.Time, o Observation) error {
	type unit struct{ Name, Unit string }
	child := "warm"
	if o.Cold {
		child = "cold"
	}

	line, err := json.Marshal(map[string]any{
		"_aws": map[string]any{
			"Timestamp": at.UnixMilli(),
			"CloudWatchMetrics": []any{map[string]any{
				"Namespace":  metricNamespace,
				"Dimensions": [][]string{{"function", "op", "outcome", "child"}},
				"Metrics": []unit{
					{"duration", "Milliseconds"}, {"execution", "Milliseconds"}, {"memory", "Bytes"}, {"killed", "Count"},
				},
			}},
		},
		"function": function, "op": string(o.Op), "outcome": string(o.Outcome), "child": child,
		"duration": milliseconds(o.Duration), "execution": milliseconds(o.Execution), "memory": o.Memory,
		"killed": map[bool]int{true: 1}[o.Killed],
	})
	if err != nil {
		return err
	}

	_, err = w.Write(append(line, '\n'))
	return err
}
