package jobdb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"minicloud/shared/count"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

// Collection names the counters of a function's ended jobs.
func Collection(scope tenant.Scope, fn id.ID) count.Collection {
	return count.Collection(jobsKey(scope, fn))
}

// Kind is status, source and service type of a job that ended, one letter each.
func Kind(status job.Status, source job.Source, service job.ServiceType) string {
	return string([]byte{letter(job.Statuses, status), letter(job.Sources, source), letter(job.ServiceTypes, service)})
}

func letter[T comparable](words []T, word T) byte { return 'a' + byte(slices.Index(words, word)) }

// selects returns which kinds pass the filter, nil for all.
func selects(f job.Filter) func(kind string) bool {
	if f.Status == "" && f.Source == "" && f.Service == "" {
		return nil
	}
	return func(kind string) bool {
		return len(kind) == 3 && (f.Status == "" || kind[0] == letter(job.Statuses, f.Status)) &&
			(f.Source == "" || kind[1] == letter(job.Sources, f.Source)) &&
			(f.Service == "" || kind[2] == letter(job.ServiceTypes, f.Service))
	}
}

// Change returns the change of a counter by a record of the jobs' stream: of a job that ended, or is no longer kept.
func Change(record events.DynamoDBEventRecord) (count.Change, error) {
	pk, sk := record.Change.Keys["pk"], record.Change.Keys["sk"]
	if pk.DataType() != events.DataTypeString || sk.DataType() != events.DataTypeString {
		return count.Change{}, fmt.Errorf("record %s: its keys are no strings", record.EventID)
	}

	change := count.Change{
		Sequence: count.Sequence(record.Change.SequenceNumber), Collection: count.Collection(pk.String()),
	}
	image := record.Change.NewImage
	switch events.DynamoDBOperationType(record.EventName) {
	case events.DynamoDBOperationTypeInsert:
		change.By = 1
	case events.DynamoDBOperationTypeRemove:
		change.By, image = -1, record.Change.OldImage
	}
	if !strings.HasPrefix(sk.String(), endedPlace+"#") {
		change.By = 0
	}
	if change.By == 0 {
		return change, nil
	}

	word := func(name string) string {
		if av := image[name]; av.DataType() == events.DataTypeString {
			return av.String()
		}
		return ""
	}
	n, _ := strconv.ParseInt(strings.TrimPrefix(sk.String(), endedPlace+"#"), 10, 64) // 0 is no id
	status, source, service := job.Status(word("status")), job.Source(word("source")), job.ServiceType(word("service"))
	if n <= 0 || !slices.Contains(job.Statuses, status) || !slices.Contains(job.Sources, source) ||
		!slices.Contains(job.ServiceTypes, service) {
		return count.Change{}, fmt.Errorf("record %s: %q is no job", record.EventID, sk.String())
	}
	change.ID, change.Kind = id.ID(n), Kind(status, source, service)

	return change, nil
}
