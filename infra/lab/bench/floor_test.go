package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"minicloud/infra/local/ddb"
)

// The floor of a request is what its DynamoDB calls and invocations take without our programs: a request that the program
// refuses without a call, each of its calls sent with nothing but net/http, one after the other, and an invocation of
// the sandbox if it makes one. Goals: reads and lists take at most 1.5 times as long, runs and writes 1.3 times.

// floorRounds is how often a request and its floor take turns.
const floorRounds = 60

// refusedPaths are paths that a program answers with 404 before it reads anything.
var refusedPaths = map[string]string{"cloudfunction": "/nothing/", "table": "/oserve/v2.4/nothing/"}

// recorder records the DynamoDB calls of a function while it is on.
type recorder struct {
	takes    time.Duration // what each call takes beside the database's work, as on AWS
	mu       sync.Mutex
	function string // "" is off
	calls    []recorded
}

type recorded struct {
	operation string
	body      []byte
}

// note implements cloud.Config.Called.
func (r *recorder) note(authorization, operation string, body []byte) {
	if r.takes > 0 && !strings.HasPrefix(operation, "Streams.") {
		time.Sleep(r.takes)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.function != "" && strings.Contains(authorization, "Credential="+r.function+"/") {
		r.calls = append(r.calls, recorded{operation, bytes.Clone(body)})
	}
}

// during returns the calls that a function makes while do runs.
func (r *recorder) during(function string, do func()) []recorded {
	r.mu.Lock()
	r.function, r.calls = function, nil
	r.mu.Unlock()
	do()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.function = ""
	return r.calls
}

// floor reports the floor of an operation of a program, and how many times as long the operation takes. The two take
// turns, so that a busy moment of the machine strikes both.
func (p *platform) floor(b *testing.B, program string, once func()) {
	f, before := p.functionOf(program), p.Stats()
	calls := p.calls.during(f.Name, once)
	runs := p.Stats().Invoke[p.functionOf("sandbox").Name] > before.Invoke[p.functionOf("sandbox").Name]
	p.scratch(b)

	var times, floors series
	for n := range floorRounds {
		began := time.Now()
		once()
		times = append(times, time.Since(began))

		began = time.Now()
		if _, _, err := p.client.Do(b.Context(), http.MethodGet, refusedPaths[program], ""); err == nil {
			b.Fatalf("%s exists", refusedPaths[program])
		}
		for _, c := range calls {
			p.raw(b, c.operation, again(b, c, n))
		}
		if runs {
			p.invokeSandbox(b)
		}
		floors = append(floors, time.Since(began))
	}
	b.ReportMetric(ms(floors.median()), "floor-ms")
	b.ReportMetric(ms(times.median())/ms(floors.median()), "x-floor")
}

// scratchTable takes the writes of floors: it has no stream, so nobody counts them.
const scratchTable = "floor"

func (p *platform) scratch(b *testing.B) {
	client := ddb.NewClient(p.Database)
	_, err := client.DescribeTable(b.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(scratchTable)})
	if err == nil {
		return
	}
	_, err = client.CreateTable(b.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(scratchTable), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange},
		},
	})
	must(b, err)
}

// raw sends a call of DynamoDB with net/http.
func (p *platform) raw(b *testing.B, operation string, body []byte) {
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, p.Database, bytes.NewReader(body))
	must(b, err)
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	keys, err := me.Retrieve(b.Context())
	must(b, err)
	hash := sha256.Sum256(body)
	must(b, p.signer.SignHTTP(b.Context(), keys, r, hex.EncodeToString(hash[:]), "dynamodb", ddb.Region, time.Now()))
	answer, err := http.DefaultClient.Do(r)
	must(b, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(b, err)
	if answer.StatusCode != http.StatusOK {
		b.Fatalf("%s %s: %s", operation, body, text)
	}
}

// again returns the body of a call for its n-th repetition. A write has no condition, because the first one has made it
// false. New and deleted items go to the scratch table, each with a key of its own; an update needs what is there.
func again(b *testing.B, c recorded, n int) []byte {
	var body object
	must(b, json.Unmarshal(c.body, &body))
	switch c.operation {
	case "PutItem", "DeleteItem", "UpdateItem":
		elsewhere(body, n)
	case "TransactWriteItems":
		body["ClientRequestToken"] = fmt.Sprint("floor-", time.Now().UnixNano())
		for _, part := range body["TransactItems"].([]any) {
			for _, write := range part.(object) {
				elsewhere(write.(object), n)
			}
		}
	default:
		return c.body
	}
	text, err := json.Marshal(body)
	must(b, err)
	return text
}

// elsewhere changes a write for its n-th repetition.
func elsewhere(write object, n int) {
	update, _ := write["UpdateExpression"].(string)
	if update != "" {
		delete(write, "ConditionExpression")
	} else {
		write["TableName"] = scratchTable
		for _, place := range []string{"Item", "Key"} {
			if item, ok := write[place].(object); ok {
				key := item["sk"].(object)
				key["S"] = fmt.Sprint(key["S"], "~", n)
			}
		}
		if write["ConditionExpression"] != nil { // a ConditionCheck needs one
			write["ConditionExpression"] = "attribute_not_exists(no_such_attribute)"
		}
	}
	// DynamoDB rejects names and values that no expression uses.
	for _, kind := range []string{"ExpressionAttributeNames", "ExpressionAttributeValues"} {
		used, _ := write[kind].(object)
		for name := range used {
			if !strings.Contains(update, name) {
				delete(used, name)
			}
		}
		if len(used) == 0 {
			delete(write, kind)
		}
	}
}

// invokeSandbox runs the smallest function.
func (p *platform) invokeSandbox(b *testing.B) {
	f := p.functionOf("sandbox")
	client := lambda.New(lambda.Options{Region: ddb.Region, BaseEndpoint: aws.String(p.Services), Credentials: me})
	out, err := client.Invoke(b.Context(), &lambda.InvokeInput{
		FunctionName: aws.String(f.Name), TenantId: aws.String(p.scope().String()), Payload: probe(b, f),
	})
	must(b, err)
	if out.FunctionError != nil {
		b.Fatalf("%s", out.Payload)
	}
}
