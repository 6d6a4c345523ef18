package ddb

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
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
	if json.Unmarshal(r.body(), &about) != nil {
		return ""
	}
	return about.ClientRequestToken
}

// decide makes another attempt of a transaction in doubt. When it succeeds, the first
// attempt was not committed: each transaction of the programs has a condition that fails
// after its own commit. When a condition fails, the cause is unknown, and the answer is an
// internal error, which leaves open whether the transaction was committed.
func (p *Proxy) decide(client io.Writer, r *request) error {
	database, err := net.Dial("tcp", p.backend)
	if err != nil {
		return err
	}
	defer p.forget(database)
	if !p.keep(database) {
		return net.ErrClosed
	}
	if _, err := database.Write(r.whole); err != nil {
		return err
	}
	answer, err := http.ReadResponse(bufio.NewReader(database), nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}

	// The SDK retries an internal error, but takes a cancelled transaction for a final answer.
	if bytes.Contains(body, []byte("TransactionCanceledException")) &&
		bytes.Contains(body, []byte("ConditionalCheckFailed")) {
		_, err := client.Write(failure("500 Internal Server Error", "com.amazonaws.dynamodb.v20120810#InternalServerError",
			"the database was killed during an earlier attempt of this transaction"))
		return err
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer.Write(client)
}
