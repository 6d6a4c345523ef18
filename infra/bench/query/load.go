package query

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	_ "modernc.org/sqlite" // the database of the local cloud is a SQLite file

	"minicloud/infra/local/ddb"
	"minicloud/shared/dynamo"
	"minicloud/shared/id"
	"minicloud/shared/table"
	"minicloud/shared/tenant"
)

// spacing is between two planted rows: fifty a second.
const spacing = 20 * time.Millisecond

// plant adds the rows from to to as the platform's own loader would, but for
// the way: rows and entries go straight into the database's file, because
// through its API a million rows with three indexes would take an hour. The
// counters go through the API. It then compares the counters and the entries
// with what lies in the file.
func (p *people) plant(ctx context.Context, from, to int) error {
	f, err := openFile(ctx, p.cloud.DataDir())
	if err != nil {
		return err
	}
	defer f.close()
	client := ddb.NewClient(p.cloud.Database)
	scope := tenant.Scope{App: tenant.AppID(p.cloud.Credentials.Miniapp), Env: tenant.Production}
	t, err := (&dynamo.Tables{Client: client, Name: p.named("TablesTable")}).Table(ctx, scope, p.id)
	if err != nil {
		return err
	}
	rows := &dynamo.Rows{Client: f.intercept(client), Table: p.named("RowsTable"), Indexes: p.named("RowIndexesTable")}
	loader := rows.NewLoader(scope, t)
	begin := time.Now().Add(-time.Duration(to-from)*spacing - time.Hour)
	const batch = 1000
	made := make([]table.Row, 0, batch)
	for i := from; i < to; i++ {
		made = append(made, person(i, begin.Add(time.Duration(i-from)*spacing)))
		if len(made) == batch || i == to-1 {
			if err := loader.Load(ctx, made); err != nil {
				return err
			}
			made = made[:0]
		}
	}
	if err := f.commit(); err != nil {
		return err
	}
	if err := loader.Close(ctx); err != nil {
		return err
	}
	return f.recount(ctx, rows, scope, t)
}

// person is what drafts makes of number i, as a row.
func person(i int, at time.Time) table.Row {
	fields := map[string]any{}
	for name, v := range draft(i) {
		if n, ok := v.(int); ok {
			v = int64(n)
		}
		fields[name] = v
	}
	n := id.First(at.Truncate(time.Millisecond)) | id.ID(i&(1<<12-1))
	perm := []string{"user:*"}
	return table.Row{
		ID: table.RowID(fmt.Sprintf("%014x%010x", int64(n), i)), UpdatedAt: at.Unix(), CreatedBy: 1, Revision: 1,
		Perm: table.RowPerm{Read: perm, Write: perm}, Fields: fields,
	}
}

// file is the local database's file, in one transaction.
type file struct {
	mu     sync.Mutex
	db     *sql.DB
	tx     *sql.Tx
	insert map[string]*sql.Stmt // by table
	hashes map[string]string    // by table and partition key, as the database computed them
}

func openFile(ctx context.Context, dir string) (*file, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "ddb.db")+"?_pragma=busy_timeout(10000)&_pragma=synchronous(0)&_pragma=cache_size(-400000)&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	f := &file{db: db, insert: map[string]*sql.Stmt{}, hashes: map[string]string{}}
	if f.tx, err = db.BeginTx(ctx, nil); err != nil {
		db.Close()
		return nil, err
	}
	return f, nil
}

func (f *file) commit() error { return f.tx.Commit() }

// close ends what was not committed.
func (f *file) close() {
	_ = f.tx.Rollback() // says so when it was committed
	f.db.Close()
}

// intercept returns a client whose transactions of nothing but puts go into the
// file.
func (f *file) intercept(client *dynamodb.Client) *dynamodb.Client {
	into := middleware.InitializeMiddlewareFunc("file", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		write, ok := in.Parameters.(*dynamodb.TransactWriteItemsInput)
		if !ok || write.TransactItems[0].Put == nil {
			return next.HandleInitialize(ctx, in)
		}
		for _, part := range write.TransactItems {
			if err := f.put(ctx, *part.Put.TableName, part.Put.Item); err != nil {
				return middleware.InitializeOutput{}, middleware.Metadata{}, err
			}
		}
		return middleware.InitializeOutput{Result: &dynamodb.TransactWriteItemsOutput{}}, middleware.Metadata{}, nil
	})
	return dynamodb.New(client.Options(), func(o *dynamodb.Options) {
		o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error { return stack.Initialize.Add(into, middleware.After) })
	})
}

// put writes an item into a partition that has one already.
func (f *file) put(ctx context.Context, table string, it map[string]types.AttributeValue) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	insert := f.insert[table]
	if insert == nil {
		var err error
		if insert, err = f.tx.PrepareContext(ctx, fmt.Sprintf(`INSERT INTO %q (pk, sk, item_json, item_size, hash_prefix) VALUES (?, ?, ?, ?, ?)`, table)); err != nil {
			return err
		}
		f.insert[table] = insert
	}
	wire, size := wireOf(it)
	text, err := json.Marshal(wire)
	if err != nil {
		return err
	}
	pk, sk := "S:"+wire["pk"]["S"].(string), "S:"+wire["sk"]["S"].(string) // keys carry their type
	hash, known := f.hashes[table+pk]
	if !known {
		if err := f.tx.QueryRowContext(ctx, fmt.Sprintf(`SELECT hash_prefix FROM %q WHERE pk = ? LIMIT 1`, table), pk).Scan(&hash); err != nil {
			return fmt.Errorf("partition %s: %w", pk, err)
		}
		f.hashes[table+pk] = hash
	}
	_, err = insert.ExecContext(ctx, pk, sk, string(text), size, hash)
	return err
}

// wireOf writes an item as DynamoDB's JSON, and counts its bytes as DynamoDB does.
func wireOf(it map[string]types.AttributeValue) (wire map[string]map[string]any, size int) {
	wire = make(map[string]map[string]any, len(it))
	for name, value := range it {
		v, n := wireValue(value)
		wire[name], size = v, size+len(name)+n
	}
	return wire, size
}

func wireValue(value types.AttributeValue) (wire map[string]any, size int) {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return map[string]any{"S": v.Value}, len(v.Value)
	case *types.AttributeValueMemberN:
		return map[string]any{"N": v.Value}, len(v.Value)/2 + 1
	case *types.AttributeValueMemberBOOL:
		return map[string]any{"BOOL": v.Value}, 1
	case *types.AttributeValueMemberM:
		inner, n := wireOf(v.Value)
		return map[string]any{"M": inner}, 3 + n + len(inner)
	case *types.AttributeValueMemberL:
		list, sum := make([]any, len(v.Value)), 3
		for i, item := range v.Value {
			part, n := wireValue(item)
			list[i], sum = part, sum+n+1
		}
		return map[string]any{"L": list}, sum
	}
	return map[string]any{"NULL": true}, 1
}

// recount compares the counters, and the number of entries of every index, with
// the rows that lie in the file.
func (f *file) recount(ctx context.Context, rows *dynamo.Rows, scope tenant.Scope, t table.Table) error {
	counted, err := rows.Total(ctx, scope, t.ID)
	if err != nil {
		return err
	}
	partitions := map[string]string{fmt.Sprintf("S:%s#%d", scope, t.ID): rows.Table}
	for _, c := range t.Columns {
		if c.Index != nil {
			partitions[fmt.Sprintf("S:%s#%d#ix#%s", scope, t.ID, c.Index.ID)] = rows.Indexes
		}
	}
	for pk, name := range partitions {
		n := 0
		if err := f.db.QueryRowContext(ctx, fmt.Sprintf(`SELECT count(*) FROM %q WHERE pk = ?`, name), pk).Scan(&n); err != nil {
			return err
		}
		if n != counted {
			return fmt.Errorf("%s holds %d items, the counters say %d rows", pk, n, counted)
		}
	}
	return nil
}
