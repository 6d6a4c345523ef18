package api

import (
	"encoding/json"
	"testing"

	"minicloud/shared/job"
)

func TestEveryTriggerHasSampleData(t *testing.T) {
	for _, source := range job.Sources {
		data, err := sampleData(source)
		if err != nil {
			t.Fatal(err)
		}
		none := source == job.SourceSDK || source == job.SourceOpenAPI || source == job.SourceCloudFunction ||
			source == job.SourceTimer
		if !json.Valid(data) || (string(data) == "{}") != none {
			t.Errorf("%s: %s", source, data)
		}
	}
}
