package remote

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"minicloud/shared/errs"
	"minicloud/shared/sandbox"
	"minicloud/shared/tenant"
)

// fake is an Invoker that records its input and returns out and err.
type fake struct {
	asked *lambda.InvokeInput
	out   lambda.InvokeOutput
	err   error
}

func (f *fake) Invoke(
	_ context.Context, in *lambda.InvokeInput, _ ...func(*lambda.Options),
) (*lambda.InvokeOutput, error) {
	f.asked = in
	return &f.out, f.err
}

func TestInvokesFunctionOfPlan(t *testing.T) {
	f := &fake{
		out: lambda.InvokeOutput{Payload: []byte(`{"outcome":"fulfilled","data":1,"execution_ms":0.5,"mem_usage":7}`)},
	}
	r := &Runner{Lambda: f, Functions: map[sandbox.Plan]string{sandbox.PlanPersonal: "big"}}
	scope := tenant.Scope{App: 7, Env: tenant.Production}
	got, err := r.Run(
		t.Context(), scope, sandbox.PlanPersonal,
		sandbox.Request{Op: sandbox.OpRun, Event: json.RawMessage(`{"data":"<&>"}`)},
	)
	if err != nil || string(got.Data) != "1" || got.MemUsage != 7 {
		t.Fatalf("%+v, %v", got, err)
	}
	if *f.asked.TenantId != "7.production" || *f.asked.FunctionName != "big" ||
		!strings.Contains(string(f.asked.Payload), `"<&>"`) {
		t.Errorf("asked tenant %s, function %s, payload %s", *f.asked.TenantId, *f.asked.FunctionName, f.asked.Payload)
	}

	if _, err := r.Run(t.Context(), scope, sandbox.PlanFree, sandbox.Request{}); !errs.Is(err, errs.KindInvalid) {
		t.Errorf("unknown plan: %v", err)
	}
	large := sandbox.Request{Event: json.RawMessage(`"` + strings.Repeat("x", maxPayload) + `"`)}
	if _, err := r.Run(t.Context(), scope, sandbox.PlanPersonal, large); !errs.Is(err, errs.KindTooLarge) {
		t.Errorf("large request: %v", err)
	}
}

func TestMapsInvokeErrors(t *testing.T) {
	unhandled := aws.String("Unhandled")
	cases := []struct {
		name  string
		fake  fake
		kind  errs.Kind
		crash bool
	}{
		{"throttled", fake{err: &types.TooManyRequestsException{}}, errs.KindUnavailable, false},
		{"function is made", fake{err: &types.ResourceNotReadyException{}}, errs.KindUnavailable, false},
		{"broke inside Lambda", fake{err: &types.ServiceException{}}, errs.KindInternal, false},
		{"too large for Lambda", fake{err: &types.RequestTooLargeException{}}, errs.KindTooLarge, false},
		{"connection lost", fake{err: errors.New("reset")}, errs.KindInternal, false},
		{
			"sandbox did not begin",
			fake{out: lambda.InvokeOutput{Payload: []byte(`{"outcome":"not_started","error":{"message":"cannot start"}}`)}},
			errs.KindUnavailable, false,
		},
		{
			"it does not say why", fake{out: lambda.InvokeOutput{Payload: []byte(`{"outcome":"not_started"}`)}},
			errs.KindUnavailable, false,
		},
		{
			"an error of ours in the sandbox",
			fake{
				out: lambda.InvokeOutput{
					FunctionError: unhandled, Payload: []byte(`{"errorType":"Error","errorMessage":"op is not known"}`),
				},
			},
			errs.KindInternal, true,
		},
		{
			"sandbox died",
			fake{
				out: lambda.InvokeOutput{
					FunctionError: unhandled, Payload: []byte(`{"errorType":"Runtime.ExitError","errorMessage":"exit status 2"}`),
				},
			},
			errs.KindInternal, true,
		},
		{"answer is not JSON", fake{out: lambda.InvokeOutput{Payload: []byte(`{`)}}, errs.KindInternal, false},
	}

	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := &Runner{Lambda: &c.fake, Functions: map[sandbox.Plan]string{sandbox.PlanFree: "f"}}
			_, err := r.Run(t.Context(), tenant.Scope{App: 1, Env: tenant.Production}, sandbox.PlanFree, sandbox.Request{})
			_, crash := errors.AsType[*CrashError](err)
			if errs.KindOf(err) != c.kind || crash != c.crash {
				t.Errorf("%v: kind %s, crash %t", err, errs.KindOf(err), crash)
			}
			if again := errors.Is(err, sandbox.ErrNotStarted); again != (c.kind == errs.KindUnavailable) {
				t.Errorf("%v: may be run again: %t", err, again)
			}
		})
	}
}
