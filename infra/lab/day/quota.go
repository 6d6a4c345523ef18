package main

import "time"

// Published limits of AWS, looked up in November 2026. They are per region and account unless they say otherwise;
// AWS raises those marked "adjustable" on request.
const (
	// KeyWrites and KeyReads are the units a second of one partition, so of one partition key whose items grow in time
	// order. docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
	KeyWrites = 1000
	KeyReads  = 3000
	// TableUnits is the read and the write units a second of one on-demand table, adjustable. NewTableWrites is what a
	// new table takes at once; from there it doubles every 30 minutes.
	// docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode-max-throughput.html
	// repost.aws/knowledge-center/on-demand-table-throttling-dynamodb
	TableUnits     = 40_000
	NewTableWrites = 4000
	TableDoubles   = 30 * time.Minute
	// StreamKeeps is how long a stream keeps a record. Lanes is the largest ParallelizationFactor.
	// docs.aws.amazon.com/lambda/latest/dg/services-ddb-params.html
	StreamKeeps = 24 * time.Hour
	Lanes       = 10

	// Concurrency is the concurrent executions of an account, adjustable; new accounts may have 10. ScaleUp is how many
	// environments a function gains in ScaleEvery. docs.aws.amazon.com/lambda/latest/dg/scaling-behavior.html
	Concurrency           = 1000
	NewAccountConcurrency = 10
	ScaleUp               = 1000
	ScaleEvery            = 10 * time.Second
	// EnvironmentRequests is the synchronous invocations a second of one environment.
	// docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
	EnvironmentRequests = 10
	// TenantEnvironments is the active and idle environments of tenants for each 1,000 of a function's concurrency.
	// docs.aws.amazon.com/lambda/latest/dg/tenant-isolation-troubleshooting.html
	TenantEnvironments = 2500

	// GatewayRequests is the requests a second of all APIs of an account, adjustable, GatewayBurst the bucket beside it.
	// docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
	GatewayRequests = 10_000
	GatewayBurst    = 5000
	// GatewayTimeout and GatewayBody. docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
	GatewayTimeout = 30 * time.Second
	GatewayBody    = 10_000_000

	// InFlight is the messages of a standard queue that were received and not deleted.
	// docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html
	InFlight = 120_000

	// SandboxMails and SandboxMailRate are what SES sends a day and a second until production access is granted;
	// afterwards the quota depends on the account. docs.aws.amazon.com/ses/latest/dg/quotas.html
	SandboxMails    = 200
	SandboxMailRate = 1
	// SandboxSMSDollars is the monthly spending on SMS until production access is granted, to 10 verified numbers.
	// docs.aws.amazon.com/sms-voice/latest/userguide/sandbox.html
	SandboxSMSDollars = 1
)
