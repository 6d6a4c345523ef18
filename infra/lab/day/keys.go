package main

// Write units of one partition key for each request, of items up to 1 KB. The keys of records and rows grow with the
// time, so DynamoDB cannot split their partitions: KeyWrites divided by these numbers is what one function, application
// or table can do in a second. A test compares their sums with the units that were measured.
const (
	// A synchronous run: into its slot, out of it; its record.
	SyncSlot   = 2 // JobsTable, <app>#slots
	SyncRecord = 1 // JobsTable, <scope>#job#<function>
	// An asynchronous run: into its slot in a transaction, out of it; accepted, taken from the pending ones in that
	// transaction, its record.
	AsyncSlot   = 3
	AsyncRecord = 4
	// A new row without an index, and its share of each additional index: the row and the entry in a transaction.
	RowCreate        = 1 // RowsTable, <scope>#<table>
	RowCreateIndexed = 2
	IndexEntry       = 2 // RowIndexesTable, <scope>#<table>#ix#<index>
	// Counting a batch of one collection: three counters, each with its checkpoint of the shard.
	CountNodes = 3 // CountsTable, <scope>#job#<function>
	// An entry of a due list: inserted in a transaction and deleted.
	DueEntry = 3
)
