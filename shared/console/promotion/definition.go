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

// Definition is the part of an object that is promoted. Exactly one field is set.
type Definition struct {
	Function *FunctionDefinition `json:"function,omitempty"`
	Table    *TableDefinition    `json:"table,omitempty"`
	Trigger  TriggerDefinition   `json:"trigger,omitempty"`
}

// FunctionDefinition is the definition of a function. It has a digest instead of the code.
type FunctionDefinition struct {
	CodeDigest string       `json:"code_digest"` // SHA-256 of the source, hex
	CodeBytes  int          `json:"code_bytes"`
	Plan       sandbox.Plan `json:"plan_circle"`
	Remark     string       `json:"remark"`
}

// TableDefinition is the schema of a table, with its columns sorted by name and without the built-in ones.
type TableDefinition struct {
	Fields         []Field     `json:"fields"`
	WritePerm      []string    `json:"write_perm"`
	DefaultRowPerm Permissions `json:"default_row_perm"`
	// Indexes are those that are unique or over several columns, sorted by name.
	Indexes []Index `json:"indexes,omitempty"`
	// BuiltIn has the access to built-in columns of _userprofile by name, as far as it was changed.
	BuiltIn map[string]table.ACL `json:"built_in,omitempty"`
}

// Index is an index of a table.
type Index struct {
	Fields []string `json:"fields"`
	Unique bool     `json:"unique"`
}

// Permissions are the permissions of new rows.
type Permissions struct {
	Read  []string `json:"_read_perm"`
	Write []string `json:"_write_perm"`
}

// Field is a column of a table.
type Field struct {
	Name        string     `json:"name"`
	Type        value.Type `json:"type"`
	Items       value.Type `json:"items,omitempty"` // The type of the items of an array.
	Description string     `json:"description"`
	Required    bool       `json:"required"`
	Default     any        `json:"default"`
	Indexed     bool       `json:"indexed"`
	SchemaName  string     `json:"schema_name,omitempty"` // name of the table that a pointer refers to
	ACL         *table.ACL `json:"acl,omitempty"`         // nil = the default
}

// TriggerDefinition is a trigger in the form of the API (G1): type, description, timezone, condition, actions. Tables
// and groups are referenced by name, and actions have no IDs.
type TriggerDefinition map[string]any

// text returns the JSON of a definition. Equal definitions have equal texts.
func (d Definition) text() []byte {
	text, err := json.Marshal(d)
	if err != nil {
		panic(fmt.Sprintf("promotion: a definition is no JSON: %v", err)) // it was decoded from JSON
	}
	return text
}

// digest returns a hash of the definition that is short enough for a URL.
func (d Definition) digest() string {
	sum := sha256.Sum256(d.text())
	return hex.EncodeToString(sum[:10])
}

// digestOf returns the digest of a definition, "" for nil.
func digestOf(d *Definition) string {
	if d == nil {
		return ""
	}
	return d.digest()
}

// field returns the field with this name.
func (d *TableDefinition) field(name string) (Field, bool) {
	for _, f := range d.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// equal reports whether two fields have equal JSON.
func (f Field) equal(other Field) bool {
	mine, _ := json.Marshal(f)
	theirs, _ := json.Marshal(other)
	return string(mine) == string(theirs)
}

// converts reports whether the type differs. The type of a column cannot change, because its values would be lost.
func (f Field) converts(other Field) bool {
	return f.Type != other.Type || f.Items != other.Items || f.SchemaName != other.SchemaName
}

// kind returns the type of a field in words: "array of string", "pointer to authors".
func (f Field) kind() string {
	switch {
	case f.Items != "":
		return fmt.Sprintf("%s of %s", f.Type, f.Items)
	case f.SchemaName != "":
		return fmt.Sprintf("%s to %s", f.Type, f.SchemaName)
	}
	return string(f.Type)
}
