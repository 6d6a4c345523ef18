package template

// Table is a DynamoDB table.
type Table struct {
	ID      string // logical id
	Name    string
	Keys    []Attribute
	Indexes []Index
	TTL     string // attribute, "" = none
	Stream  string // NEW_AND_OLD_IMAGES …, "" = none
}

// Attribute is an attribute that is part of a key.
type Attribute struct {
	Name string
	Type string // S, N or B
	Hash bool   // HASH, else RANGE
}

// Index is a global secondary index.
type Index struct {
	Name       string
	Keys       []Attribute
	Projection string   // ALL, KEYS_ONLY or INCLUDE
	Include    []string // attributes of INCLUDE
}

func (b *builder) table(id, name string, s *section) {
	t := &Table{ID: id, Name: name}
	s.oneOf("BillingMode", "PAY_PER_REQUEST")
	if !s.has("BillingMode") {
		s.fail(s.value, "BillingMode must be PAY_PER_REQUEST")
	}

	types := map[string]string{}
	for _, definition := range s.each("AttributeDefinitions") {
		types[definition.required("AttributeName")] = definition.required("AttributeType")
		definition.done()
	}

	used := map[string]bool{}
	t.Keys = s.keys(types, used)
	for _, index := range s.each("GlobalSecondaryIndexes") {
		t.Indexes = append(t.Indexes, index.index(types, used))
	}

	for attribute := range types {
		if !used[attribute] {
			s.fail(s.value, "AttributeDefinitions: %s is part of no key", attribute)
		}
	}

	if s.has("TimeToLiveSpecification") {
		ttl := s.child("TimeToLiveSpecification")
		if attribute := ttl.required("AttributeName"); ttl.flag("Enabled", false) {
			t.TTL = attribute
		}
		ttl.done()
	}

	if s.has("StreamSpecification") {
		stream := s.child("StreamSpecification")
		t.Stream = stream.required("StreamViewType")
		stream.done()
	}

	s.done("TableName", "PointInTimeRecoverySpecification", "SSESpecification", "DeletionProtectionEnabled",
		"Tags", "TableClass", "ContributorInsightsSpecification", "OnDemandThroughput", "WarmThroughput")
	b.out.Tables = append(b.out.Tables, t)
}

// keys reads KeySchema with the types of AttributeDefinitions.
func (s *section) keys(types map[string]string, used map[string]bool) []Attribute {
	var out []Attribute
	for _, element := range s.each("KeySchema") {
		a := Attribute{Name: element.required("AttributeName")}
		a.Hash = element.oneOf("KeyType", "HASH", "RANGE") == "HASH"
		a.Type = types[a.Name]
		used[a.Name] = true
		if a.Type == "" {
			element.fail(element.value, "%s is not in AttributeDefinitions", a.Name)
		}

		element.done()
		out = append(out, a)
	}

	if len(out) == 0 || len(out) > 2 || !out[0].Hash || (len(out) == 2 && out[1].Hash) {
		s.fail(s.value, "KeySchema must be one HASH attribute and at most one RANGE attribute")
	}

	return out
}

func (s *section) index(types map[string]string, used map[string]bool) Index {
	index := Index{Name: s.required("IndexName"), Keys: s.keys(types, used)}
	projection := s.child("Projection")
	index.Projection = projection.oneOf("ProjectionType", "ALL", "KEYS_ONLY", "INCLUDE")
	for _, v := range projection.list("NonKeyAttributes") {
		index.Include = append(index.Include, v.Text)
	}
	projection.done()
	s.done("ContributorInsightsSpecification", "OnDemandThroughput", "WarmThroughput")
	return index
}
