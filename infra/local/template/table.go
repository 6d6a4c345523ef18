package template

import "go.yaml.in/yaml/v4"

// Table is a DynamoDB table.
type Table struct {
	ID      string // logical ID
	Name    string
	Keys    []Attribute
	Indexes []Index
	TTL     string // attribute; "" for none
	Stream  string // such as NEW_AND_OLD_IMAGES; "" for none
}

// Attribute is a key attribute.
type Attribute struct {
	Name string
	Type string // S, N or B
	Hash bool   // HASH instead of RANGE
}

// Index is a global secondary index.
type Index struct {
	Name       string
	Keys       []Attribute
	Projection string // ALL or KEYS_ONLY
}

// keySchema is the KeySchema of a table or an index.
type keySchema []struct {
	AttributeName string `yaml:"AttributeName"`
	KeyType       string `yaml:"KeyType"`
}

func (b *builder) table(id, name string, n *yaml.Node) {
	var p struct {
		BillingMode          string `yaml:"BillingMode"`
		AttributeDefinitions []struct {
			AttributeName string `yaml:"AttributeName"`
			AttributeType string `yaml:"AttributeType"`
		} `yaml:"AttributeDefinitions"`
		KeySchema              keySchema `yaml:"KeySchema"`
		GlobalSecondaryIndexes []struct {
			IndexName  string    `yaml:"IndexName"`
			KeySchema  keySchema `yaml:"KeySchema"`
			Projection string    `yaml:"Projection.ProjectionType"`
		} `yaml:"GlobalSecondaryIndexes"`
		TTL     string `yaml:"TimeToLiveSpecification.AttributeName"`
		Expires bool   `yaml:"TimeToLiveSpecification.Enabled"`
		Stream  string `yaml:"StreamSpecification.StreamViewType"`
	}
	b.decode(id, n, &p, "TableName", "PointInTimeRecoverySpecification", "DeletionProtectionEnabled")

	b.oneOf(id, "BillingMode", p.BillingMode, "PAY_PER_REQUEST")
	t := &Table{ID: id, Name: name, Stream: p.Stream}
	if p.Expires {
		t.TTL = p.TTL
	}
	types := map[string]string{}
	for _, d := range p.AttributeDefinitions {
		types[d.AttributeName] = d.AttributeType
	}

	used := map[string]bool{}
	t.Keys = b.keys(id, p.KeySchema, types, used)
	for _, index := range p.GlobalSecondaryIndexes {
		b.oneOf(id, "ProjectionType", index.Projection, "ALL", "KEYS_ONLY")
		t.Indexes = append(t.Indexes, Index{
			Name: index.IndexName, Keys: b.keys(id, index.KeySchema, types, used), Projection: index.Projection,
		})
	}
	// DynamoDB refuses a table that defines an attribute outside its keys.
	for attribute := range types {
		if !used[attribute] {
			b.fail(id, "AttributeDefinitions: %s is part of no key", attribute)
		}
	}
	b.out.Tables = append(b.out.Tables, t)
}

// keys returns the attributes of a schema with their types, and marks them in used.
func (b *builder) keys(id string, schema keySchema, types map[string]string, used map[string]bool) []Attribute {
	var out []Attribute
	for _, k := range schema {
		b.oneOf(id, "KeyType", k.KeyType, "HASH", "RANGE")
		if types[k.AttributeName] == "" {
			b.fail(id, "%s is not in AttributeDefinitions", k.AttributeName)
		}
		used[k.AttributeName] = true
		out = append(out, Attribute{Name: k.AttributeName, Type: types[k.AttributeName], Hash: k.KeyType == "HASH"})
	}
	if len(out) == 0 || len(out) > 2 || !out[0].Hash || (len(out) == 2 && out[1].Hash) {
		b.fail(id, "KeySchema must be one HASH attribute and at most one RANGE attribute")
	}
	return out
}
