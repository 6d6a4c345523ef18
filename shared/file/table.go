package file

import (
	"minicloud/shared/language/value"
	"minicloud/shared/permission"
	"minicloud/shared/table"
)

// The ids and names of the built-in tables, the same in every environment. No application can change them, so they are
// never stored: to the endpoints of tables they do not exist.
const (
	TableID        table.ID = 2
	TableName               = "_file"
	CategoryTable  table.ID = 3
	CategoriesName          = "_filecategory"
)

// The columns of _file. Its rows also have an id, created_at (of the start of the upload), updated_at and created_by.
const (
	colName     = "name"
	colCDNPath  = "cdn_path"
	colSize     = "size"
	colMime     = "mime_type"
	colMedia    = "media_type"
	colCategory = "category_id" // absent without a category
	colETag     = "etag"
	colNamed    = "named"   // true if the file name is the cdn_path (random_file_link false)
	colCreator  = "creator" // created_by, which as a built-in column has no index

	colParent = "parent"
)

// everybody are readers of a table whose rows are for all end users: no index of readers is needed.
var everybody = &table.Readers{
	Kinds: table.ForEverybody, Indexed: table.ForEverybody | table.ForRegistered | table.ForNamed,
}

// Table returns the table _file. A row is a file that was uploaded; a file that is awaited is an Upload. Every change of
// a row fires its event by the stream of rows, so that no event is lost: a new row and a changed one are an upload, a
// deleted one is a deletion. A change that is none of them is made with table.Origin{Quiet: true}.
func Table() table.Table {
	return table.Table{
		ID: TableID, Name: TableName, Readers: everybody, Listeners: table.Listeners{Create: 1, Update: 1, Delete: 1},
		WritePerm:      []string{permission.Anonymous},
		DefaultRowPerm: table.RowPerm{Read: []string{permission.Anonymous}, Write: []string{permission.Creator}},
		Columns: []table.Column{
			column(colName, value.String, true), column(colCDNPath, value.String, false), column(colSize, value.Integer, true),
			column(colMime, value.String, false), column(colMedia, value.String, false),
			column(colCategory, value.String, true), column(colETag, value.String, false), column(colNamed, value.Boolean, false),
			column(colCreator, value.Integer, true),
		},
	}
}

// Categories returns the table _filecategory; its rows fire nothing.
func Categories() table.Table {
	return table.Table{
		ID: CategoryTable, Name: CategoriesName, Readers: everybody, WritePerm: []string{},
		DefaultRowPerm: table.RowPerm{Read: []string{permission.Anonymous}, Write: []string{}},
		Columns:        []table.Column{column(colName, value.String, true), column(colParent, value.String, true)},
	}
}

func column(name string, kind value.Type, indexed bool) table.Column {
	c := table.Column{Column: value.Column{Name: name, Type: kind, Indexed: indexed}, Key: name, BuiltIn: true}
	if indexed {
		c.Index = &table.Index{ID: name}
	}
	return c
}
