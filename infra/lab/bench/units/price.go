package units

import "minicloud/infra/local/template"

// Prices in dollars per million, us-east-1, on demand, first tier, without free
// ones, looked up in 2026. DynamoDB's hold since November 2024. Lambda reads streams
// for nothing. What is not per request is left out: storage, logs, traffic, idle
// polls, cold starts.
const (
	writeUnitPrice      = 0.625
	readUnitPrice       = 0.125
	httpRequestPrice    = 1.00    // HTTP API, per 512 KB
	sqsRequestPrice     = 0.50    // 0.40, and 0.10 for messages with a group; per 64 KB
	keyRequestPrice     = 3.00    // KMS
	invocationPrice     = 0.20    // Lambda
	gigabyteSecondPrice = 16.6667 // Lambda on x86_64; 13.3334 on arm64
)

// price is what a million requests like u cost without what streams cause and
// without Lambda's time: that much is known exactly.
func (u Usage) price() float64 {
	return u.Write*writeUnitPrice + u.Read*readUnitPrice + u.HTTP*httpRequestPrice + u.SQS*sqsRequestPrice +
		u.Keys*keyRequestPrice + u.Invocations*invocationPrice
}

// price is what a million requests cost by what streams cause, at most: each alone.
func (s Stream) price() float64 {
	return s.Write*writeUnitPrice + s.Read*readUnitPrice + s.Invocations*invocationPrice
}

// timePrice is what the time of Lambda for a million requests like u costs, if it
// took as long there as here.
func (u Usage) timePrice(t *template.Template) float64 {
	gigabyteSeconds := 0.0
	for _, f := range t.Functions {
		gigabyteSeconds += u.milliseconds[f.Name] / 1000 * float64(f.MemoryMB) / 1024
	}
	return gigabyteSeconds * gigabyteSecondPrice
}
