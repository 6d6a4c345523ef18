package ddb

import (
	"bytes"
	"encoding/json"
	"time"

	"minicloud/shared/cache"
)

// doubts holds the tokens of transactions whose connection to the database ended before the response, mostly because
// of kill -9. DynamoDB remembers a token for ten minutes and answers a retry like the first attempt. The local engine
// forgets its tokens when it is killed, so the retry of a committed transaction fails on its own writes: the caller
// would treat a written row as refused, or count twice.
//
// Programs that may retry a transaction end with the local cloud, so the tokens are kept in memory only.
type doubts struct {
	tokens cache.Map[string, time.Time] // time of the lost response, by token
}

const (
	doubtFor  = 10 * time.Minute // DynamoDB remembers a token so long; the SDK stops retrying long before
	maxDoubts = 100_000          // tokens; clients that never retry leave theirs behind
)

func (d *doubts) add(token string) {
	if token != "" {
		d.tokens.Limit(maxDoubts).Put(token, time.Now())
	}
}

func (d *doubts) about(token string) bool {
	since, found := d.tokens.Get(token)
	return found && time.Since(since) <= doubtFor
}

// tokenOf returns the idempotency token of a transaction, "" for other operations.
func tokenOf(r *request) string {
	if r.operation != "TransactWriteItems" {
		return ""
	}
	var about struct{ ClientRequestToken string }
	if json.Unmarshal(r.body, &about) != nil {
		return ""
	}
	return about.ClientRequestToken
}

// conditionFailed reports whether a response says that a transaction's condition failed. For a doubtful transaction an
// earlier attempt may have committed: each transaction of the programs has a condition that fails after its own
// commit. The proxy then responds with an internal error, which the SDK retries; it does not retry a cancelled
// transaction.
func conditionFailed(answer []byte) bool {
	return bytes.Contains(answer, []byte("TransactionCanceledException")) &&
		bytes.Contains(answer, []byte("ConditionalCheckFailed"))
}
