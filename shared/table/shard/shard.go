// Package shard says in which partition a row of a table lies. DynamoDB takes 1,000 writes a second in a partition, and
// new rows meet in the last one, because their ids grow with the time.
package shard

import (
	"hash/fnv"
	"io"
	"slices"
	"time"

	"minicloud/shared/errs"
	"minicloud/shared/id"
)

// Limits of sharding. A list reads every shard, so each shard costs units and time.
const (
	Max       = 16
	maxEpochs = 16
	// delay is longer than a process works with a schema that it has read: 29 s for a request, 15 minutes for a worker.
	delay = 20 * time.Minute
)

// Epoch says in how many shards rows lie whose ids are From or later, until the next epoch.
type Epoch struct {
	From   id.ID
	Shards int
}

// Epochs are the epochs of a table, in order. Rows before the first one lie in one partition. The shard of a row follows
// from its id, so no row ever moves.
type Epochs []Epoch

// Now returns the number of shards of rows that are created from now on, or soon.
func (e Epochs) Now() int {
	if len(e) == 0 {
		return 1
	}
	return e[len(e)-1].Shards
}

// Most returns the highest number of shards that there has been.
func (e Epochs) Most() int {
	most := 1
	for _, one := range e {
		most = max(most, one.Shards)
	}
	return most
}

// With returns the epochs with this number of shards for rows that are created twenty minutes from now: other processes
// create rows with the current schema until then. A fresh table has none, and is sharded from its first row on.
func (e Epochs) With(shards int, now time.Time, fresh bool) (Epochs, error) {
	from := id.First(now.Add(delay))
	if fresh {
		from = 0
	}
	switch {
	case shards == e.Now():
		return e, nil
	case shards < 1 || shards > Max:
		return e, errs.Invalid("shards must be a number from 1 to %d", Max)
	case len(e) == maxEpochs:
		return e, errs.Invalid("the shards of a table can be changed %d times", maxEpochs)
	case len(e) > 0 && e[len(e)-1].From >= id.First(now):
		return e, errs.Conflict("the last change of shards has effect at %s: try again after it",
			e[len(e)-1].From.Time().UTC().Format(time.RFC3339))
	}
	return append(slices.Clone(e), Epoch{from, shards}), nil
}

// Of returns the shard of a row with this number and text as id, and the number of shards of its epoch.
func (e Epochs) Of(n id.ID, text string) (shard, shards int) {
	for _, one := range slices.Backward(e) {
		if n >= one.From {
			h := fnv.New32a()
			_, _ = io.WriteString(h, text)
			return int(h.Sum32() % uint32(one.Shards)), one.Shards
		}
	}
	return 0, 1
}
