package game

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"minicloud/infra/lab/sim"
	"minicloud/shared/delivery"
	"minicloud/shared/errs"
)

// Receivers are where callbacks go.
type Receivers struct {
	world *sim.World
	Heard func(Callback) // of each callback as it arrives

	mu    sync.Mutex
	tries map[string]int        // requests to an address
	Got   map[string][]Callback // by address
}

// Callback is one request to a callback_url.
type Callback struct {
	URL, ID string // its webhook-id
	Job     int64  `json:"job_id"`
	Status  string
	Data    *Output
}

// sender sends the requests of one process.
type sender struct {
	*Receivers
	instance *sim.Instance
}

// mostMishaps is how many requests to an address fail at most: the next attempt may be hours away.
const mostMishaps = 2

// Send implements delivery.Sender. Some requests fail, before or after they have arrived.
func (s sender) Send(ctx context.Context, r delivery.Request) (delivery.Answer, error) {
	s.mu.Lock()
	s.tries[r.URL]++
	n := s.tries[r.URL]
	s.mu.Unlock()
	random := s.world.Random(fmt.Sprint("receiver ", r.URL, n))
	if err := s.instance.Reach(ctx, random); err != nil {
		return delivery.Answer{}, err
	}

	mishap := -1
	if n <= mostMishaps && random.Permille(10*s.world.Rates.LostRequest) {
		mishap = random.IntN(4)
	}
	if mishap == 0 {
		return delivery.Answer{}, errs.Unavailable(0, "the receiver cannot be reached")
	}
	c := Callback{URL: r.URL, ID: r.Headers["webhook-id"]}
	if err := json.Unmarshal([]byte(r.Body), &c); err != nil {
		return delivery.Answer{}, err
	}
	s.mu.Lock()
	s.Got[r.URL] = append(s.Got[r.URL], c)
	s.mu.Unlock()
	if s.Heard != nil {
		s.Heard(c)
	}
	switch mishap {
	case 1:
		return delivery.Answer{Status: 500}, nil
	case 2:
		return delivery.Answer{}, errs.Unavailable(0, "the receiver reset the connection")
	case 3:
		s.world.Kill(s.instance)
		return delivery.Answer{}, context.Canceled
	}
	return delivery.Answer{Status: 200}, nil
}
