package ddb

import (
	"bytes"
	"encoding/json"
	"sync"
	"time"
)

// doubts are the transactions whose connection to the database ended before their
// answer came: a kill -9, mostly. DynamoDB knows a transaction by its token for ten
// minutes, so the next attempt of the SDK is answered as the first would have been.
// The local engine forgets its tokens when it is killed. The next attempt of a
// transaction that was committed then fails on its own earlier writes, and the caller that
// asked would take a row that was written for refused, or count twice.
//
// The programs that may repeat a transaction end with the local cloud, so memory is
// enough.
type doubts struct {
	mu     sync.Mutex
	tokens map[string]time.Time // since when
}

// doubtFor is the time for which DynamoDB recognises a token; the SDK stops retrying long before.
const doubtFor = 10 * time.Minute

func (d *doubts) add(token string) {
	if token == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tokens == nil {
		d.tokens = map[string]time.Time{}
	}
	// Clients that never retry leave tokens behind, so old ones are removed here.
	for old, since := range d.tokens {
		if time.Since(since) > doubtFor {
			delete(d.tokens, old)
		}
	}
	d.tokens[token] = time.Now()
}

func (d *doubts) about(token string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	since, found := d.tokens[token]
	return found && time.Since(since) <= doubtFor
}

// tokenOf returns the token of a transaction, "" for anything else.
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

// conditionFailed reports whether an answer says that a transaction's condition failed. For a transaction in doubt
// that leaves open whether an earlier attempt was committed: each transaction of the programs has a condition that
// fails after its own commit. The proxy then answers an internal error, because the SDK retries it, but takes a
// cancelled transaction for a final answer.
func conditionFailed(answer []byte) bool {
	return bytes.Contains(answer, []byte("TransactionCanceledException")) &&
		bytes.Contains(answer, []byte("ConditionalCheckFailed"))
}
