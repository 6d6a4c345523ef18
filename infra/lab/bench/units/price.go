package units

import (
	"math"

	"minicloud/infra/local/template"
	"minicloud/shared/console/price"
)

// Price returns the cost of a million requests like u: its units, requests and log lines, with stream consumers that
// have this request alone. Each part is exact. Lambda's duration and cold starts are left out.
func (u Usage) Price() float64 { return u.Own() + u.Stream.Own() + u.Logs() }

// dollars returns the price in cents' precision, as it is stored.
func (u Usage) dollars() float64 { return math.Round(u.Price()*100) / 100 }

// Own returns the cost of the units and requests of a million, without stream consumers and logs.
func (u Usage) Own() float64 {
	return u.Write*price.WriteUnit + u.Read*price.ReadUnit + u.HTTP*price.HTTPRequest + u.SQS*price.SQSRequest +
		u.Keys*price.KeyRequest + u.Invocations*price.Invocation + u.S3Writes*price.ObjectWrite + u.S3Reads*price.ObjectRead +
		u.S3Events*price.ObjectEvent
}

// Own returns the maximum cost of the stream consumers for a million requests: each request in a batch of its own.
func (s Stream) Own() float64 {
	return s.Write*price.WriteUnit + s.Read*price.ReadUnit + s.Invocations*price.Invocation
}

// Logs returns the cost of the log lines of the programs, stream consumers included, and of the access log.
func (u Usage) Logs() float64 {
	return (u.Logged + price.AccessLogBytes*u.HTTP) * price.LogByte
}

// timePrice returns the cost of Lambda's duration for a million requests like u, if they took as long there as here.
func (u Usage) timePrice(t *template.Template) float64 {
	gigabyteSeconds := 0.0
	for _, f := range t.Functions {
		gigabyteSeconds += u.milliseconds[f.Name] / 1000 * float64(f.MemoryMB) / 1024
	}
	return gigabyteSeconds * price.GigabyteSecond
}

// coldPrice returns the additional cost of a million requests like u, all of whose environments are new: what Lambda
// asks for a tenant's environment, which is exact, and the time of starting the programs, as long as it takes here.
// initial has the milliseconds of a start by function.
func (u Usage) coldPrice(t *template.Template, initial map[string]float64) (tenants, time float64) {
	for _, f := range t.Functions {
		gigabytes := u.programs[f.Name] * float64(f.MemoryMB) / 1024
		if f.PerTenant {
			tenants += gigabytes * price.Tenant
		}
		time += gigabytes * initial[f.Name] / 1000 * price.GigabyteSecond
	}
	return tenants, time
}
