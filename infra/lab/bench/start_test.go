package bench

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"minicloud/infra/local/cloud"
	"minicloud/infra/local/cloudtest"
	"minicloud/infra/local/ddb"
	"minicloud/infra/local/template"
	"minicloud/shared/sandbox"
)

// BenchmarkStart measures how long a local cloud takes to start, ≤ 300 ms, and each program from its start to its
// first answer, ≤ 30 ms.
func BenchmarkStart(b *testing.B) {
	cfg, err := cloudtest.Config(b.TempDir())
	must(b, err)
	cfg.StoppedClock = true // no scheduled program starts during the measurement
	restart := func() *cloud.Cloud {
		c, err := cloud.Start(context.WithoutCancel(b.Context()), cfg)
		must(b, err)
		return c
	}

	first := restart() // creates the tables and plants the seed data
	first.Stop()
	b.Run("local_cloud", func(b *testing.B) {
		loop(b, func() { restart().Stop() })
	})
	seen := map[string]bool{}
	for _, f := range first.Template.Functions {
		if !f.PerTenant && len(f.Routes) == 0 || seen[f.Program] {
			continue
		}
		seen[f.Program] = true
		b.Run(f.ID, func(b *testing.B) { once(b, func() { firstAnswers(b, restart, f) }) })
	}
}

// firstAnswers measures cold invocations of a program, each in a new cloud, and the warm ones after them.
func firstAnswers(b *testing.B, restart func() *cloud.Cloud, f *template.Function) {
	var cold, warm series
	for range 7 {
		c := restart()
		client := lambda.New(lambda.Options{Region: ddb.Region, BaseEndpoint: aws.String(c.Services), Credentials: me})
		for _, times := range []*series{&cold, &warm} {
			began := time.Now()
			in := &lambda.InvokeInput{FunctionName: aws.String(f.Name), Payload: probe(b, f)}
			if f.PerTenant {
				in.TenantId = aws.String("1.production")
			}
			out, err := client.Invoke(b.Context(), in)
			must(b, err)
			if out.FunctionError != nil {
				b.Fatalf("%s: %s", f.Name, out.Payload)
			}
			*times = append(*times, time.Since(began))
		}
		c.Stop()
	}
	report(b, "first", cold)
	report(b, "next", warm)
}

// probe returns an event that a program answers with little work: a request for an unknown path, or a run of the
// smallest function.
func probe(b *testing.B, f *template.Function) []byte {
	if !f.PerTenant {
		return []byte(`{"version":"2.0","rawPath":"/nothing/","headers":{},"requestContext":{"domainName":"localhost",` +
			`"requestId":"bench","http":{"method":"GET","path":"/nothing/","sourceIp":"127.0.0.1"}}}`)
	}
	var code bytes.Buffer
	zip := gzip.NewWriter(&code)
	_, err := io.WriteString(zip, "exports.main = async () => 1")
	must(b, err)
	must(b, zip.Close())
	text, err := json.Marshal(sandbox.Request{
		Op: sandbox.OpRun, Function: "one", Code: code.Bytes(), Digest: "bench",
		Event: json.RawMessage(`{}`), TimeoutMS: 5000, MemoryMB: 128,
	})
	must(b, err)
	return text
}
