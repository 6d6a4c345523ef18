// Package price has the prices of AWS, and what a run of a function costs. The console estimates the cost of a day with
// them, and infra/lab/bench/units measures what each request costs.
package price

import (
	"time"

	"minicloud/shared/job"
	"minicloud/shared/sandbox"
)

// Prices in dollars per million, us-east-1, on demand, first tier, without the free tier, looked up in November 2026.
// DynamoDB's are valid since November 2024. Lambda's reads of streams are free.
const (
	WriteUnit      = 0.625
	ReadUnit       = 0.125
	HTTPRequest    = 1.00    // HTTP API, per 512 KB
	SQSRequest     = 0.50    // 0.40, and 0.10 for messages with a group; per 64 KB
	KeyRequest     = 3.00    // KMS
	Invocation     = 0.20    // Lambda
	GigabyteSecond = 16.6667 // Lambda on x86_64; 13.3334 on arm64
	Tenant         = 167.0   // Lambda, per GB of memory of a new environment of a tenant
	LogByte        = 0.0005  // CloudWatch Logs: $0.50 per GB
	ObjectWrite    = 5.00    // S3 Standard: PUT, POST, COPY and LIST, each part of an upload; deletions are free
	ObjectRead     = 0.40    // S3 Standard: GET and HEAD
	ObjectEvent    = 1.00    // EventBridge: an object that S3 tells it was created or deleted
	Download       = 1.00    // CloudFront, HTTPS requests in North America and Europe; ten million a month are free
)

// Prices of files in dollars per GB, as above. What S3 sends to CloudFront and what end users send is free.
const (
	StoredGB = 0.023 // S3 Standard, a month
	ServedGB = 0.085 // CloudFront, in North America and Europe; 1 TB a month is free
)

// AccessLogBytes is the size of a line of the HTTP API's access log, with the 26 bytes that CloudWatch adds to each. Lambda
// itself logs nothing for an invocation that succeeds (SystemLogLevel is WARN).
const AccessLogBytes = 200

// What a synchronous and an asynchronous run use besides the time of Lambda, as infra/lab/bench/units measured it. Its
// test compares the results. Counting is left out, because concurrent runs share it.
const (
	synchronous  = 3*WriteUnit + 3*ReadUnit + 2*Invocation + HTTPRequest + (750+AccessLogBytes)*LogByte
	asynchronous = 7*WriteUnit + 4*ReadUnit + 3*Invocation + 3*SQSRequest + HTTPRequest + (1000+AccessLogBytes)*LogByte
)

// ProgramMB is the memory of the program that waits for a synchronous run.
const ProgramMB = 512

// EnvironmentMB returns the memory of the environments of a plan, which is larger than the plan's heap.
func EnvironmentMB(p sandbox.Plan) int { return 2 * p.MemoryMB() }

// Run returns the cost of a run in dollars. billed is the time of its environment.
func Run(s job.ServiceType, p sandbox.Plan, billed time.Duration) float64 {
	millions, memory := asynchronous, EnvironmentMB(p)
	if s == job.TimeSensitive {
		millions, memory = synchronous, memory+ProgramMB
	}
	return (millions + billed.Seconds()*float64(memory)/1024*GigabyteSecond) / 1e6
}
