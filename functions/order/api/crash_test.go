package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"minicloud/shared/order"
)

// dying is the connection of a program that is killed at a call of the database: before it arrives or, with late, when it
// is done and its answer is lost. No later call arrives.
type dying struct {
	calls atomic.Int64
	at    int64
	late  bool
	next  dynamodb.HTTPClient
}

func (d *dying) Do(r *http.Request) (*http.Response, error) {
	n := d.calls.Add(1)
	if n < d.at {
		return d.next.Do(r)
	}
	if n == d.at && d.late {
		if answer, err := d.next.Do(r); err == nil {
			answer.Body.Close()
		}
	}
	return nil, errors.New("the program was killed")
}

// TestCrashedCreationMakesOneOrder kills the program before and after each call of the database, then repeats the
// request with the same key: there is one order, here and at the vendor, and both tries that answer answer the same.
func TestCrashedCreationMakesOneOrder(t *testing.T) {
	c, p := ready(t)
	tries := 0
	for _, gateway := range []string{"chatpay", "altpay", "altpay_page"} {
		for _, description := range []string{"tea", "wrong", "lost"} {
			for _, late := range []bool{false, true} {
				for at := int64(1); ; at++ {
					tries++
					d := &dying{at: at, late: late, next: c.client.Options().HTTPClient}
					killed := c.face(dynamodb.New(c.client.Options(), func(o *dynamodb.Options) {
						o.HTTPClient, o.Retryer = d, aws.NopRetryer{}
					}))
					body := fmt.Sprintf(`{"gateway_type":%q,"merchandise_description":"%s %d","total_cost":1}`, gateway, description, tries)
					if c.repeat(p, killed, gateway, body, tries); d.calls.Load() < at {
						break // the request had fewer calls
					}
				}
			}
		}
	}
	if tries < 60 {
		t.Errorf("only %d tries", tries)
	}
}

// repeat sends the request of a try to a platform that is killed, then to one that is not, until its outcome is known.
// Each try makes one order.
func (c *cashier) repeat(p, killed *platform, gateway, body string, try int) {
	c.t.Helper()
	known, key := len(c.vendors.Orders()), fmt.Sprint(try)
	first, told := killed.post(body, "Idempotency-Key", key)
	status, answer := p.post(body, "Idempotency-Key", key)
	if status == 503 { // the vendor did not answer the first time it was asked
		status, answer = p.post(body, "Idempotency-Key", key)
	}

	want, taken := 201, 1
	switch {
	case gateway == "altpay_page": // the payer sends the request to the vendor
		taken = 0
	case strings.Contains(body, "wrong"):
		want, taken = 400, 0
	}
	if status != want || first < 500 && answer != told {
		c.t.Errorf("%s: %d %s, then %d %s", body, first, told, status, answer)
	}
	if a, b := len(p.all(c.t, order.Filter{})), len(c.vendors.Orders()); a != try || b != known+taken {
		c.t.Errorf("%s: %d orders after %d tries, %d more at the vendor", body, a, try, b-known)
	}
}
