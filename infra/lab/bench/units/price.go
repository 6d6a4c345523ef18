package units

import "minicloud/infra/local/template"

// Prices in dollars per million, us-east-1, on demand, first tier, without the free tier, looked up in November 2026.
// DynamoDB's are valid since November 2024. Lambda's reads of streams are free. Costs that are not per request are
// left out: storage, traffic, idle polls, and the metrics of runs, whose number does not grow with the requests.
const (
	writeUnitPrice      = 0.625
	readUnitPrice       = 0.125
	httpRequestPrice    = 1.00    // HTTP API, per 512 KB
	sqsRequestPrice     = 0.50    // 0.40, and 0.10 for messages with a group; per 64 KB
	keyRequestPrice     = 3.00    // KMS
	invocationPrice     = 0.20    // Lambda
	GigabyteSecondPrice = 16.6667 // Lambda on x86_64; 13.3334 on arm64
	TenantPrice         = 167.0   // Lambda, per GB of memory of a new environment of a tenant
	logPrice            = 0.0005  // CloudWatch Logs, per byte: $0.50 per GB
)

// systemLogBytes is the size of the two lines that Lambda itself logs for an invocation, platform.start and
// platform.report, in JSON with the fields of the documentation:
// docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html
const systemLogBytes = 400

// Price returns the cost of a million requests like u: its units, requests and log lines, with stream consumers that
// have this request alone. Each part is exact. Lambda's duration and cold starts are left out.
func (u Usage) Price() float64 { return u.Own() + u.Stream.Own() + u.Logs() }

// Own returns the cost of the units and requests of a million, without stream consumers and logs.
func (u Usage) Own() float64 {
	return u.Write*writeUnitPrice + u.Read*readUnitPrice + u.HTTP*httpRequestPrice + u.SQS*sqsRequestPrice +
		u.Keys*keyRequestPrice + u.Invocations*invocationPrice
}

// Own returns the maximum cost of the stream consumers for a million requests: each request in a batch of its own.
func (s Stream) Own() float64 {
	return s.Write*writeUnitPrice + s.Read*readUnitPrice + s.Invocations*invocationPrice
}

// Logs returns the cost of the log lines of the programs and of Lambda, stream consumers included.
func (u Usage) Logs() float64 {
	return (u.Logged + systemLogBytes*(u.Invocations+u.Stream.Invocations)) * logPrice
}

// timePrice returns the cost of Lambda's duration for a million requests like u, if they took as long there as here.
func (u Usage) timePrice(t *template.Template) float64 {
	gigabyteSeconds := 0.0
	for _, f := range t.Functions {
		gigabyteSeconds += u.milliseconds[f.Name] / 1000 * float64(f.MemoryMB) / 1024
	}
	return gigabyteSeconds * GigabyteSecondPrice
}

// coldPrice returns the additional cost of a million requests like u, all of whose environments are new: what Lambda
// asks for a tenant's environment, which is exact, and the time of starting the programs, as long as it takes here.
// initial has the milliseconds of a start by function.
func (u Usage) coldPrice(t *template.Template, initial map[string]float64) (tenants, time float64) {
	for _, f := range t.Functions {
		gigabytes := u.programs[f.Name] * float64(f.MemoryMB) / 1024
		if f.PerTenant {
			tenants += gigabytes * TenantPrice
		}
		time += gigabytes * initial[f.Name] / 1000 * GigabyteSecondPrice
	}
	return tenants, time
}
