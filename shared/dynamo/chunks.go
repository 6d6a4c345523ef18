package dynamo

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"minicloud/shared/errs"
)

// maxChunk is how many bytes one item of Chunks holds: DynamoDB allows 400 KB.
const maxChunk = 300 << 10

// Chunks are the writes of data that is too large for one item: one for each 300 KB, under the sort keys of the numbers
// from 0. Chunks without a time do not expire.
func Chunks(table, pk string, sk func(n int) string, data []byte, expires time.Time) (puts []types.TransactWriteItem) {
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

// NumberOfChunks returns how many chunks data has.
func NumberOfChunks(data []byte) int { return (len(data) + maxChunk - 1) / maxChunk }

// ReadChunks reads the first n chunks, one GetItem for each.
func ReadChunks(
	ctx context.Context, client *dynamodb.Client, table, pk string, sk func(n int) string, n int,
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
