package jobs

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	_ "modernc.org/sqlite" // the database of the local cloud is a SQLite file
)

// file is a table in the file of the local database, in one transaction.
type file struct {
	db     *sql.DB
	tx     *sql.Tx
	insert *sql.Stmt
	like   *sql.Stmt
	hashes map[string]string // by partition key, as the database computed them
}

// openFile begins a transaction on a table that has no indexes. Its stream does not hear of it.
func openFile(ctx context.Context, dir, table string) (*file, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "ddb.db")+"?_pragma=busy_timeout(10000)&_txlock=immediate")
	if err != nil {
		return nil, err
	}

	f := &file{db: db, hashes: map[string]string{}}
	if f.tx, err = db.BeginTx(ctx, nil); err != nil {
		db.Close()
		return nil, err
	}

	if f.insert, err = f.tx.PrepareContext(
		ctx,
		fmt.Sprintf(`INSERT OR REPLACE INTO %q (pk, sk, item_json, item_size, hash_prefix) VALUES (?, ?, ?, ?, ?)`, table),
	); err == nil {
		f.like, err = f.tx.PrepareContext(ctx, fmt.Sprintf(`SELECT hash_prefix FROM %q WHERE pk = ? LIMIT 1`, table))
	}

	if err != nil {
		f.rollback()
		return nil, fmt.Errorf("table %s: %w", table, err)
	}

	return f, nil
}

// put writes an item into a partition that has one already.
func (f *file) put(ctx context.Context, it item) error {
	pk := "S:" + str(it["pk"]) // keys carry their type
	hash, known := f.hashes[pk]
	if !known {
		if err := f.like.QueryRowContext(ctx, pk).Scan(&hash); err != nil {
			return fmt.Errorf("partition %s: %w", pk, err)
		}
		f.hashes[pk] = hash
	}
	text, err := wire(it)
	if err != nil {
		return err
	}
	_, err = f.insert.ExecContext(ctx, pk, "S:"+str(it["sk"]), string(text), len(text), hash)
	return err
}

func (f *file) commit() error { return f.tx.Commit() }

// rollback ends what was not committed, and closes the file.
func (f *file) rollback() {
	_ = f.tx.Rollback() // says so when it was committed
	f.db.Close()
}

// wire writes an item as DynamoDB's JSON.
func wire(it item) ([]byte, error) {
	out := map[string]map[string]any{}
	for name, value := range it {
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			out[name] = map[string]any{"S": v.Value}
		case *types.AttributeValueMemberN:
			out[name] = map[string]any{"N": v.Value}
		case *types.AttributeValueMemberB:
			out[name] = map[string]any{"B": v.Value}
		default:
			return nil, fmt.Errorf("attribute %s is a %T", name, value)
		}
	}
	return json.Marshal(out)
}
