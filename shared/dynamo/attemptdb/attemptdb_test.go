package attemptdb_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/infra/local/dynamotest"
	"minicloud/shared/dynamo"
	"minicloud/shared/dynamo/attemptdb"
)

const (
	period        = 15 * time.Minute
	most, perPart = 20, 5
)

type counted struct {
	*testing.T
	*attemptdb.Store
	now time.Time
}

func newCounted(t *testing.T) *counted {
	return &counted{
		T: t, Store: &attemptdb.Store{Client: dynamotest.Start(t, "UsersTable"), Table: "UsersTable"},
		now: time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC),
	}
}

// allowed returns how many of n attempts at once are allowed under a part of the key.
func (c *counted) allowed(part string, n int) (allowed int) {
	var group sync.WaitGroup
	var mu sync.Mutex
	for range n {
		group.Go(func() {
			wait, err := c.AttemptOf(c.Context(), "key", most, part, perPart, period, c.now)
			if err != nil || wait < 0 || wait > period {
				c.Errorf("wait %v, %v", wait, err)
			}
			if mu.Lock(); err == nil && wait == 0 {
				allowed++
			}
			mu.Unlock()
		})
	}
	group.Wait()
	return allowed
}

// TestLimitsParts: each part has its limit, all together have that of the key, also at once and in the next period.
func TestLimitsParts(t *testing.T) {
	c := newCounted(t)
	for round := range 3 {
		for part := range 4 {
			if got := c.allowed(fmt.Sprint(part), 12); got != perPart {
				t.Errorf("round %d: %d of part %d", round, got, part)
			}
		}
		if got := c.allowed("another", 3); got != 0 {
			t.Errorf("round %d: %d over the limit of the key", round, got)
		}
		c.now = c.now.Add(period)
	}
}

// TestRefusedPartsCountNowhere: who goes on after the limit of a part leaves the key to others.
func TestRefusedPartsCountNowhere(t *testing.T) {
	c := newCounted(t)
	c.allowed("mine", perPart)
	if got := c.allowed("mine", 50); got != 0 {
		t.Errorf("%d over the limit", got)
	}
	for i := range 3 {
		if got := c.allowed(fmt.Sprint(i), perPart); got != perPart {
			t.Errorf("%d of part %d", got, i)
		}
	}
}

// TestTakesBackParts: an attempt that is taken back counts nowhere, and a part without attempts leaves no attribute.
func TestTakesBackParts(t *testing.T) {
	c := newCounted(t)
	back := func(part string) {
		t.Helper()
		if err := c.TakeBackOf(t.Context(), "key", part); err != nil {
			t.Fatal(err)
		}
	}
	back("none") // no attempt is counted
	for i := range 50 {
		part := fmt.Sprint(i)
		if got := c.allowed(part, 2); got != 2 {
			t.Fatalf("part %d: %d of 2", i, got)
		}
		back(part)
		back(part)
		back(part) // never below zero
	}
	if got := c.allowed("mine", 9); got != perPart {
		t.Errorf("%d", got)
	}

	it, err := dynamo.GetItem(t.Context(), c.Client, "UsersTable", "key", "attempts")
	if err != nil || len(it) != 6 || dynamo.IntegerOf(it["attempts"]) != perPart { // keys, attempts, expires_at, w0, one part
		t.Errorf("%v, %v", it, err)
	}
}

// TestLostAnswerOfAttempt: the only attempt of a period is allowed although the answer to its first write is lost.
func TestLostAnswerOfAttempt(t *testing.T) {
	c, puts := newCounted(t), 0
	c.Client = dynamotest.Faulty(c.Client, func(operation string) dynamotest.Fault {
		if operation == "PutItem" {
			puts++
		}
		if puts == 1 {
			return dynamotest.Unheard
		}
		return 0
	})
	if wait, err := c.Attempt(t.Context(), "key", 1, period, c.now); wait != 0 || err != nil || puts != 2 {
		t.Errorf("wait %v, %v after %d writes", wait, err, puts)
	}
}

// TestFailedWriteIsAnError: an attempt that could not be counted is not allowed.
func TestFailedWriteIsAnError(t *testing.T) {
	c := newCounted(t)
	if _, err := c.Attempt(t.Context(), "key", 1, period, c.now); err != nil {
		t.Fatal(err)
	}
	dynamotest.FailEach(t, c.Client, func(failing *dynamodb.Client) error {
		c.Client = failing
		_, err := c.Attempt(t.Context(), "key", 1, period, c.now.Add(2*period))
		return err
	})
}
