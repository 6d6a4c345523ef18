// Package partition names the partitions of the rows' table (rowdb).
package partition

import (
	"strconv"
	"strings"

	"minicloud/shared/count"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// shardMark precedes the number of the shard in a partition key.
const shardMark = "#s"

// Of returns the partition key of a row. That of an unsharded table is the name of its collection.
func Of(scope tenant.Scope, t table.Table, r table.RowID) string {
	n, shards := t.Epochs.Of(r.Number(), string(r))
	return name(scope, t.ID, shards, n)
}

func name(scope tenant.Scope, t table.ID, shards, n int) string {
	if shards == 1 {
		return string(table.Collection(scope, t))
	}
	return string(table.Collection(scope, t)) + shardMark + strconv.Itoa(n)
}

// All returns the partition keys of all rows of a table that has had at most this many shards.
func All(scope tenant.Scope, t table.ID, most int) []string {
	all := []string{string(table.Collection(scope, t))}
	for n := range most {
		if most > 1 {
			all = append(all, name(scope, t, most, n))
		}
	}
	return all
}

// Collection returns the collection of the rows with this partition key.
func Collection(partition string) count.Collection {
	collection, _, _ := strings.Cut(partition, shardMark)
	return count.Collection(collection)
}

// Piece is a part of a range of row ids that lies in the same partitions.
type Piece struct {
	From, To   table.RowID // "" = open
	Partitions []string
}

// Pieces splits a range of row ids, in ascending order.
func Pieces(scope tenant.Scope, t table.Table, from, to table.RowID) []Piece {
	var pieces []Piece
	for i := -1; i < len(t.Epochs); i++ {
		piece, shards := Piece{From: from, To: to}, 1
		if i >= 0 {
			shards = t.Epochs[i].Shards
			piece.From = max(from, t.FirstRowID(t.Epochs[i].From))
		}
		if i+1 < len(t.Epochs) {
			if next := t.FirstRowID(t.Epochs[i+1].From); to == "" || next < to {
				piece.To = next
			}
		}
		// An epoch that begins at 0 leaves nothing before it.
		if piece.To != "" && piece.From >= piece.To || i < 0 && len(t.Epochs) > 0 && t.Epochs[0].From == 0 {
			continue
		}
		for n := range shards {
			piece.Partitions = append(piece.Partitions, name(scope, t.ID, shards, n))
		}
		pieces = append(pieces, piece)
	}
	return pieces
}
