package api

import (
	_ "embed"
	"encoding/json"

	"minicloud/shared/job"
)

// sampleTexts is an example of event.data for each source (contract, Actions, Cloud function): for debug runs without
// data, and for the console.
//
//go:embed event_samples.json
var sampleTexts []byte

// sampleData returns realistic event.data of a source.
func sampleData(s job.Source) (json.RawMessage, error) {
	var samples map[job.Source]json.RawMessage
	err := json.Unmarshal(sampleTexts, &samples)
	return samples[s], err
}
