package retry

import "time"

// Deliveries are the delays before each further try to hand something to a receiver of an application's, who may be
// away for three days (D37).
var Deliveries = []time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
	5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// Spread varies a delay by 20 % both ways, so that those who failed together do not come back together.
func Spread(d time.Duration) time.Duration { return d + time.Duration(Jitter(int64(d/5*2)+1)) - d/5 }
