package jobdb

import (
	"context"
	"time"

	"minicloud/shared/count"
	"minicloud/shared/id"
	"minicloud/shared/job"
	"minicloud/shared/tenant"
)

// Ended makes one Query of the counters per three days. The children of a node of level 1 span nine minutes.
func (s *Store) Ended(ctx context.Context, scope tenant.Scope, fn id.ID, from, to time.Time) ([]job.Counted, error) {
	var counted []job.Counted
	begin, first := count.NodeOf(id.First(from), 1)
	end, _ := count.NodeOf(id.First(to), 1)
	for at := begin; at.Prefix <= end.Prefix; at.Prefix++ {
		found, err := s.Counts.Node(ctx, Collection(scope, fn), at)
		if err != nil {
			return nil, err
		}
		// found has one node per kind of job; the children of each span nine minutes.
		for _, n := range found {
			for child, number := range n.Children {
				if number > 0 && (at != begin || child >= first) {
					counted = append(counted, job.Counted{At: at.First(child).Time(), Status: statusOf(n.Kind), N: number})
				}
			}
		}
	}
	return counted, nil
}

// statusOf returns the status in a kind.
func statusOf(kind string) job.Status {
	if kind == "" || int(kind[0]-'a') >= len(job.Statuses) {
		return ""
	}
	return job.Statuses[kind[0]-'a']
}
