package units

import "minicloud/infra/local/template"

// Prices in dollars per million, us-east-1, on demand, first tier, without the free tier, looked up in 2026.
// DynamoDB's are valid since November 2024. Lambda's reads of streams are free. Costs that are not per request are
// left out: storage, logs, traffic, idle polls, cold starts.
const (
	writeUnitPrice      = 0.625
	readUnitPrice       = 0.125
	httpRequestPrice    = 1.00    // HTTP API, per 512 KB
	sqsRequestPrice     = 0.50    // 0.40, and 0.10 for messages with a group; per 64 KB
	keyRequestPrice     = 3.00    // KMS
	invocationPrice     = 0.20    // Lambda
	gigabyteSecondPrice = 16.6667 // Lambda on x86_64; 13.3334 on arm64
)

// price returns the cost of a million requests like u, without stream consumers and without Lambda's duration. This
// part is exact.
func (u Usage) price() float64 {
	return u.Write*writeUnitPrice + u.Read*readUnitPrice + u.HTTP*httpRequestPrice + u.SQS*sqsRequestPrice +
		u.Keys*keyRequestPrice + u.Invocations*invocationPrice
}

// price returns the maximum cost of the stream consumers for a million requests: each request in a batch of its own.
func (s Stream) price() float64 {
	return s.Write*writeUnitPrice + s.Read*readUnitPrice + s.Invocations*invocationPrice
}

// timePrice returns the cost of Lambda's duration for a million requests like u, if they took as long there as here.
func (u Usage) timePrice(t *template.Template) float64 {
	gigabyteSeconds := 0.0
	for _, f := range t.Functions {
		gigabyteSeconds += u.milliseconds[f.Name] / 1000 * float64(f.MemoryMB) / 1024
	}
	return gigabyteSeconds * gigabyteSecondPrice
}
