package api

import (
	_ "embed"
	"encoding/json"

	"minicloud/shared/job"
)

// sampleTexts holds an example of event.data for each source (contract, Actions, Cloud function). Debug runs without
// data and the console use it.
//
//go:embed event_samples.json
var sampleTexts []byte

// sampleData returns a realistic event.data for a source.
func sampleData(s job.Source) (json.RawMessage, error) {
	var samples map[job.Source]json.RawMessage
	err := json.Unmarshal(sampleTexts, &samples)
	return samples[s], err
}
