// Package datafile writes items straight into the file of the local database:
// many times as fast as through its API, without stream records, and as many
// items as one likes in one transaction. It knows how dynoxide keeps items
//
//	"<table>" (pk, sk, item_json, item_size, hash_prefix)   keys carry their type, as "S:…"
//
// and no more: the hash is that of the partition key, and taken over from an item
// that the database itself has put, of whichever table.
package datafile

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

// File is the file of a database that runs, but that nobody else writes to.
type File struct {
	db *sql.DB

	mu         sync.Mutex
	tx         *sql.Tx              // nil until something is written
	statements map[string]*sql.Stmt // of this transaction, by their text
	hashes     map[string]string    // by partition key
}

// Open opens the file at path.
func Open(path string) (*File, error) {
	db, err := sql.Open(
		"sqlite",
		"file:"+path+"?_pragma=busy_timeout(10000)&_pragma=synchronous(1)&_pragma=cache_size(-100000)&_txlock=immediate",
	)
	if err != nil {
		return nil, err
	}
	return &File{db: db, hashes: map[string]string{}}, nil
}

// Close drops what was not committed.
func (f *File) Close() error {
	if f.tx != nil {
		_ = f.tx.Rollback() // the file forgets it in any case
	}
	return f.db.Close()
}

// Commit makes everything since the last Commit last, all or nothing.
func (f *File) Commit() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tx == nil {
		return nil
	}
	tx := f.tx
	f.tx = nil
	return tx.Commit()
}

// Count returns how many items lie in a partition, those committed.
func (f *File) Count(ctx context.Context, table, pk string) (n int, err error) {
	err = f.db.QueryRowContext(ctx, fmt.Sprintf(`SELECT count(*) FROM %q WHERE pk = ?`, table), keyText(pk)).Scan(&n)
	return n, err
}

// Client returns a client like other, but for TransactWriteItems: its puts and
// its updates by ADD go into the file, and last with Commit. Put's condition is
// taken to be that there is no such item.
func (f *File) Client(other *dynamodb.Client) *dynamodb.Client {
	into := middleware.InitializeMiddlewareFunc("datafile", func(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		write, ok := in.Parameters.(*dynamodb.TransactWriteItemsInput)
		if !ok {
			return next.HandleInitialize(ctx, in)
		}
		return middleware.InitializeOutput{
			Result: &dynamodb.TransactWriteItemsOutput{},
		}, middleware.Metadata{}, f.write(ctx, write.TransactItems)
	})
	return dynamodb.New(other.Options(), func(o *dynamodb.Options) {
		o.APIOptions = append(
			o.APIOptions, func(stack *middleware.Stack) error { return stack.Initialize.Add(into, middleware.After) },
		)
	})
}

func (f *File) write(ctx context.Context, parts []types.TransactWriteItem) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tx == nil {
		var err error
		if f.tx, err = f.db.BeginTx(context.WithoutCancel(ctx), nil); err != nil {
			return err
		}
		f.statements = map[string]*sql.Stmt{}
	}

	for _, part := range parts {
		var err error
		switch {
		case part.Put != nil:
			err = f.put(ctx, *part.Put.TableName, wireOf(part.Put.Item))
		case part.Update != nil:
			err = f.add(ctx, part.Update)
		default:
			err = errors.New("datafile: neither a put nor an update")
		}

		if err != nil {
			return err
		}
	}

	return nil
}

// prepared returns the statement of this transaction with the table's name in
// it.
func (f *File) prepared(ctx context.Context, format, table string) (*sql.Stmt, error) {
	text := fmt.Sprintf(format, table)
	if known := f.statements[text]; known != nil {
		return known, nil
	}
	statement, err := f.tx.PrepareContext(ctx, text)
	f.statements[text] = statement
	return statement, err
}

// put adds an item to a partition.
func (f *File) put(ctx context.Context, table string, it wire) error {
	insert, err := f.prepared(
		ctx, `INSERT INTO %q (pk, sk, item_json, item_size, hash_prefix) VALUES (?, ?, ?, ?, ?)`, table,
	)
	if err != nil {
		return err
	}

	pk, sk := it.key()
	hash, known := f.hashes[pk]
	if !known {
		if err := f.tx.QueryRowContext(
			ctx, fmt.Sprintf(`SELECT hash_prefix FROM %q WHERE pk = ? LIMIT 1`, table), pk,
		).Scan(&hash); err != nil {
			return fmt.Errorf("datafile: partition %s of %s: %w", pk, table, err)
		}
		f.hashes[pk] = hash
	}

	text, err := json.Marshal(it)
	if err != nil {
		return err
	}

	_, err = insert.ExecContext(ctx, pk, sk, string(text), it.size(), hash)

	return err
}

// add adds numbers to an item, which it makes where there is none.
func (f *File) add(ctx context.Context, u *types.Update) error {
	terms, ok := strings.CutPrefix(*u.UpdateExpression, "ADD ")
	if !ok || u.ConditionExpression != nil || strings.Contains(terms, " = ") {
		return fmt.Errorf("datafile: update %q is more than ADD", *u.UpdateExpression)
	}

	it := wireOf(u.Key)
	pk, sk := it.key()
	find, err := f.prepared(ctx, `SELECT item_json FROM %q WHERE pk = ? AND sk = ?`, *u.TableName)
	if err != nil {
		return err
	}

	var text []byte
	err = find.QueryRowContext(ctx, pk, sk).Scan(&text)
	exists := err == nil
	if exists {
		err = json.Unmarshal(text, &it)
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}

	for term := range strings.SplitSeq(terms, ", ") {
		name, ref, _ := strings.Cut(term, " ")
		if err := it.add(name, u.ExpressionAttributeValues[ref]); err != nil {
			return err
		}
	}

	if !exists {
		return f.put(ctx, *u.TableName, it)
	}

	replace, err := f.prepared(ctx, `UPDATE %q SET item_json = ?, item_size = ? WHERE pk = ? AND sk = ?`, *u.TableName)
	if err != nil {
		return err
	}

	out, err := json.Marshal(it)
	if err != nil {
		return err
	}

	_, err = replace.ExecContext(ctx, string(out), it.size(), pk, sk)

	return err
}

// add adds a number to an attribute.
func (w wire) add(name string, value types.AttributeValue) error {
	by, ok := value.(*types.AttributeValueMemberN)
	if !ok {
		return fmt.Errorf("datafile: ADD %s of %T", name, value)
	}

	sum, err := strconv.ParseInt(by.Value, 10, 64)
	if err != nil {
		return err
	}

	if had, ok := w[name]["N"].(string); ok {
		n, err := strconv.ParseInt(had, 10, 64)
		if err != nil {
			return err
		}
		sum += n
	}

	w[name] = map[string]any{"N": strconv.FormatInt(sum, 10)}
	return nil
}
