package promotion

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"minicloud/shared/language/value"
	"minicloud/shared/sandbox"
	"minicloud/shared/table"
)

// Definition is what a promotion carries of a thing: one of the three is set.
type Definition struct {
	Function *FunctionDefinition `json:"function,omitempty"`
	Table    *TableDefinition    `json:"table,omitempty"`
	Trigger  TriggerDefinition   `json:"trigger,omitempty"`
}

// FunctionDefinition is a function; its code is read where it is.
type FunctionDefinition struct {
	CodeDigest string       `json:"code_digest"` // SHA-256 of the source, hex
	CodeBytes  int          `json:"code_bytes"`
	Plan       sandbox.Plan `json:"plan_circle"`
	Remark     string       `json:"remark"`
}

// TableDefinition is the schema of a table, its fields by their names. Fields that the platform has built in are no
// part of it.
type TableDefinition struct {
	Fields         []Field     `json:"fields"`
	WritePerm      []string    `json:"write_perm"`
	DefaultRowPerm Permissions `json:"default_row_perm"`
}

// Permissions are those of new rows.
type Permissions struct {
	Read  []string `json:"_read_perm"`
	Write []string `json:"_write_perm"`
}

// Field is a column of a table.
type Field struct {
	Name        string     `json:"name"`
	Type        value.Type `json:"type"`
	Items       value.Type `json:"items,omitempty"` // of an array
	Description string     `json:"description"`
	Required    bool       `json:"required"`
	Default     any        `json:"default"`
	Indexed     bool       `json:"indexed"`
	SchemaName  string     `json:"schema_name,omitempty"` // the table that a pointer leads into
	ACL         *table.ACL `json:"acl,omitempty"`         // nil = the default
}

// TriggerDefinition is a trigger as a caller would write it (G1): type, description, timezone, condition, actions. Its
// tables and groups are named, its actions have no ids.
type TriggerDefinition map[string]any

// text is the JSON of a definition: two are the same when their texts are.
func (d Definition) text() []byte {
	text, err := json.Marshal(d)
	if err != nil {
		panic(fmt.Sprintf("promotion: a definition is no JSON: %v", err)) // it came from JSON
	}
	return text
}

// digest is a short name for what a definition says.
func (d Definition) digest() string {
	sum := sha256.Sum256(d.text())
	return hex.EncodeToString(sum[:10])
}

// digestOf is the digest of a definition, "" of none.
func digestOf(d *Definition) string {
	if d == nil {
		return ""
	}
	return d.digest()
}

// field finds a field by its name.
func (d *TableDefinition) field(name string) (Field, bool) {
	for _, f := range d.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// equal reports whether two fields say the same.
func (f Field) equal(other Field) bool {
	mine, _ := json.Marshal(f)
	theirs, _ := json.Marshal(other)
	return string(mine) == string(theirs)
}

// converts reports whether values of the field would have to become others: that cannot be done to a column.
func (f Field) converts(other Field) bool {
	return f.Type != other.Type || f.Items != other.Items || f.SchemaName != other.SchemaName
}

// kind spells the type of a field: "array of string", "pointer to authors".
func (f Field) kind() string {
	switch {
	case f.Items != "":
		return fmt.Sprintf("%s of %s", f.Type, f.Items)
	case f.SchemaName != "":
		return fmt.Sprintf("%s to %s", f.Type, f.SchemaName)
	}
	return string(f.Type)
}
