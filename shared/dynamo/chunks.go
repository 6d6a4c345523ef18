package dynamo

import (
	"context"
	"slices"
	"time"

	"minicloud/shared/errs"
)

// maxChunk is the maximum number of bytes per chunk: DynamoDB allows 400 KB per item.
const maxChunk = 300 << 10

// Chunks returns the writes of data that is too large for one item: one item per 300 KB, with sort keys sk(0), sk(1) …
// If expires is zero, the chunks do not expire.
func Chunks(table, pk string, sk func(n int) string, data []byte, expires time.Time) (puts []Part) {
	for some := range slices.Chunk(data, maxChunk) {
		it := Key(pk, sk(len(puts)))
		it["part"] = Binary(some)
		if !expires.IsZero() {
			it["expires_at"] = Instant(expires)
		}
		puts = append(puts, Put(table, it, "", nil))
	}
	return puts
}

// NumberOfChunks returns the number of chunks of data.
func NumberOfChunks(data []byte) int { return (len(data) + maxChunk - 1) / maxChunk }

// ReadChunks reads the first n chunks, with one GetItem per chunk.
func ReadChunks(
	ctx context.Context, client *Client, table, pk string, sk func(n int) string, n int,
) (data []byte, err error) {
	for i := range n {
		it, err := Find(ctx, client, table, pk, sk(i), errs.NotFound("%s of %s is gone", sk(i), pk))
		if err != nil {
			return nil, err
		}
		data = append(data, BytesOf(it["part"])...)
	}
	return data, nil
}
