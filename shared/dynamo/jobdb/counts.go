package jobdb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"minicloud/shared/count"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/counted"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

// Collection names the counters of a function's ended jobs.
func Collection(scope tenant.Scope, fn id.ID) count.Collection {
	return count.Collection(jobsKey(scope, fn))
}

// Kind encodes status, source and service type of an ended job, one letter each.
func Kind(status job.Status, source job.Source, service job.ServiceType) string {
	return counted.Letter(job.Statuses, status) + counted.Letter(job.Sources, source) +
		counted.Letter(job.ServiceTypes, service)
}

// selects returns the predicate of the kinds that pass the filter, nil for all.
func selects(f job.Filter) func(kind string) bool {
	if f.Status == "" && f.Source == "" && f.Service == "" {
		return nil
	}
	return func(kind string) bool {
		return len(kind) == 3 && (f.Status == "" || kind[:1] == counted.Letter(job.Statuses, f.Status)) &&
			(f.Source == "" || kind[1:2] == counted.Letter(job.Sources, f.Source)) &&
			(f.Service == "" || kind[2:] == counted.Letter(job.ServiceTypes, f.Service))
	}
}

// Change converts a record of the jobs' stream into a change of the counters: for a job that ended, or whose record
// expired.
func Change(record dynamo.Record) (count.Change, error) {
	change, sk, err := counted.Change(record)
	digits, ended := strings.CutPrefix(sk, endedPlace+"#")
	by := counted.Items(record)
	if err != nil || !ended || by == 0 {
		return change, err
	}

	image := record.Change.NewImage
	if by < 0 {
		image = record.Change.OldImage
	}
	n, _ := strconv.ParseInt(digits, 10, 64) // 0 is not an id
	status, source, service := wordsOf(dynamo.Image(image))
	if n <= 0 || !slices.Contains(job.Statuses, status) || !slices.Contains(job.Sources, source) ||
		!slices.Contains(job.ServiceTypes, service) {
		return count.Change{}, fmt.Errorf("record %s: %q is no job", record.EventID, sk)
	}
	change.ID, change.Kind, change.By = id.ID(n), Kind(status, source, service), by
	return change, nil
}

func wordsOf(it dynamo.Item) (job.Status, job.Source, job.ServiceType) {
	return job.Status(dynamo.TextOf(it["status"])), job.Source(dynamo.TextOf(it["source"])),
		job.ServiceType(dynamo.TextOf(it["service"]))
}
