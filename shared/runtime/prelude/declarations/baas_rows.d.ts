// Rows, tables and the conditions on them.

declare namespace BaaS {
  class GeoPoint {
    constructor(longitude: number, latitude: number);
    readonly longitude: number;
    readonly latitude: number;
    readonly coordinates: [longitude: number, latitude: number];
    toGeoJSON(): { type: "Point"; coordinates: [number, number] };
    toJSON(): { type: "Point"; coordinates: [number, number] };
  }
  class GeoPolygon {
    /** At least 4 points, the last the same as the first; else it throws 605. */
    constructor(points: ([longitude: number, latitude: number] | GeoPoint)[]);
    toGeoJSON(): { type: "Polygon"; coordinates: [number, number][][] };
    toJSON(): { type: "Polygon"; coordinates: [number, number][][] };
  }

  /**
   * Conditions on rows, combined with AND. An argument of a wrong type throws 605. A Date is sent as ISO text.
   */
  class Query {
    /** Combines conditions with AND. */
    static and(...queries: Query[]): Query;
    /** Combines conditions with OR. */
    static or(...queries: Query[]): Query;
    /** The value can be a record, which is sent as its id. */
    compare(field: string, operator: "=" | "!=" | "<" | "<=" | ">" | ">=", value: any): this;
    /** The field contains the text, case-sensitive. */
    contains(field: string, text: string): this;
    /** Supports the flags i, m and s; look-around and back-references are rejected. */
    matches(field: string, pattern: RegExp): this;
    in(field: string, values: readonly any[]): this;
    notIn(field: string, values: readonly any[]): this;
    /** The array column contains all of the values. */
    arrayContains(field: string, values: readonly any[]): this;
    /** from ≤ value < to */
    range(field: string, bounds: readonly [from: any, to: any]): this;
    isNull(...fields: (string | string[])[]): this;
    isNotNull(...fields: (string | string[])[]): this;
    exists(...fields: (string | string[])[]): this;
    notExists(...fields: (string | string[])[]): this;
    /** The object column has the key. */
    hasKey(field: string, key: string): this;
    /** The shape contains the point. */
    include(field: string, point: GeoPoint): this;
    within(field: string, polygon: GeoPolygon): this;
    withinCircle(field: string, point: GeoPoint, kilometres: number): this;
    /** Nearest first. */
    withinRegion(field: string, point: GeoPoint, maxMetres?: number, minMetres?: number): this;
    /** The `where` of the HTTP interface. */
    readonly queryObject: object;
    toJSON(): object;
  }

  /** Value of a pointer column. */
  interface Pointer {
    id: string | number;
    _table: string;
  }
  /** Value of a file column. */
  interface FileValue {
    id: string;
    name: string;
    path: string;
    cdn_path: string;
    mime_type: string;
    size: number;
    created_at: number;
  }

  /** Built-in members of every row. */
  interface RowMembers {
    /** Text, or in tables with integer ids a number. */
    id: any;
    /** The same. */
    _id: any;
    /** Id of a user; the user's record where created_by was expanded. */
    created_by: any;
    /** Unix seconds. */
    created_at: number;
    updated_at: number;
    read_perm?: string[];
    write_perm?: string[];
    _read_perm?: string[];
    _write_perm?: string[];
  }
  type Row<Columns = any> = Columns & RowMembers;

  /** A writable column; any name for tables without declared columns. */
  type Field<Columns> = Extract<keyof Columns, string> | Exclude<keyof RowMembers, "id" | "_id">;
  /** A column, or a path into an object column. */
  type Path<Columns> = Field<Columns> | `${Field<Columns>}.${string}`;
  /** A value of a column, or a value that is converted to one. */
  type Value<Columns, Name> =
    | (Name extends keyof Columns ? Columns[Name] : any)
    | Changes | Pointer | GeoPoint | GeoPolygon | Date | null;

  /** Changes to one record, or to all records of a query. They are cleared after they were sent. */
  interface Changes<Columns = any> {
    /** Id of the record; undefined for a new record or for many records. */
    readonly id: any;
    /** Value for a column that points to this record. */
    pointer(): Pointer;
    /** Merges with earlier changes. A record is sent as a pointer, in created_by as its id. */
    set<Name extends Field<Columns>>(field: Name, value: Value<Columns, Name>): this;
    set(fields: { [Name in Field<Columns>]?: Value<Columns, Name> }): this;
    /** Unsets fields; a field that is also set throws 605. */
    unset(...fields: (Field<Columns> | Field<Columns>[] | { [Name in Field<Columns>]?: "" })[]): this;
    /** Atomic, like all following methods. */
    incrementBy(field: Path<Columns>, n: number): this;
    append(field: Field<Columns>, items: any): this;
    /** Appends items that are missing. */
    uAppend(field: Field<Columns>, items: any): this;
    /** Of objects, shapes and files only the first item. */
    remove(field: Field<Columns>, items: any): this;
    /** Changes members of an object column, one level deep. */
    patchObject(field: Field<Columns>, values: object): this;
    /** Removes the last item; shift removes the first. */
    pop(field: Field<Columns>): this;
    shift(field: Field<Columns>): this;
    /** Returns the body that would be sent and clears the changes. */
    take(): object;
  }
  interface WriteOptions {
    /** false = without firing triggers. */
    enableTrigger?: boolean;
    /** Of many records: also count all that match. */
    withCount?: boolean;
  }
  interface NewRow<Columns = any> extends Changes<Columns> {
    /** 201 with the row. A field of a wrong type rejects with 400. */
    save(options?: { enableTrigger?: boolean }): Promise<Answer<Row<Columns>>>;
  }
  interface StoredRow<Columns = any> extends Changes<Columns> {
    /** The current row. */
    update(options?: { enableTrigger?: boolean }): Promise<Answer<Row<Columns>>>;
  }
  interface StoredRows<Columns = any> extends Changes<Columns> {
    update(options: WriteOptions & { enableTrigger: false }): Promise<Answer<ManyChanged | ManyStarted>>;
    update(options?: WriteOptions): Promise<Answer<ManyChanged>>;
  }

  interface OneResult {
    success?: { id: any; created_at?: number; updated_at?: number };
    error?: { id?: any; code: number; err_msg: string };
  }
  interface ManyCreated {
    succeed: number;
    total_count: number;
    operation_result: OneResult[];
  }
  interface ManyDeleted {
    succeed: number;
    offset: number;
    limit: number;
    next: string | null;
    total_count?: number;
  }
  interface ManyChanged extends ManyDeleted {
    operation_result: OneResult[];
  }
  /** More than 1,000 records without triggers are changed in the background: see getAsyncJobResult. */
  interface ManyStarted {
    status: "ok";
    operation_id: number;
  }

  /**
   * Settings of lists for the next request only. A limit or offset that is not an integer throws 605.
   */
  interface Selection {
    setQuery(query: Query): this;
    /** Default 20, at most 1,000. */
    limit(n: number): this;
    offset(n: number): this;
    /** A leading minus sorts in descending order. */
    orderBy(fields: string | string[]): this;
    /** Fields to return, or with a leading minus fields to omit; mixed signs are ignored. */
    select(fields: string | string[]): this;
    /** Replaces pointers and created_by by their records; select("ptr.field") returns parts of them. */
    expand(fields: string | string[]): this;
  }

  /**
   * Rows of a table, by its id or name. Its columns may be said, as `new BaaS.TableObject<{ name: string }>("city")`
   * or, in JavaScript, by a comment `@type {BaaS.TableObject<{ name: string }>}` on a variable.
   */
  class TableObject<Columns = any> {
    constructor(table: string | number);
    /** 404 when there is no such row. */
    get(id: string | number): Promise<Answer<Row<Columns>>>;
    find(options: { withCount: true }): Promise<Answer<CountedPage<Row<Columns>>>>;
    find(options?: { withCount?: boolean }): Promise<Answer<Page<Row<Columns>>>>;
    /** All rows that the query selects. */
    count(): Promise<number>;
    /** A row to be saved with save(). */
    create(): NewRow<Columns>;
    /** At most 1,000 rows; 201 says what became of each. */
    createMany(
      rows: { [Name in Field<Columns>]?: Value<Columns, Name> }[], options?: { enableTrigger?: boolean },
    ): Promise<Answer<ManyCreated>>;
    /** The row of that id, to be changed unread with update(). */
    getWithoutData(id: string | number): StoredRow<Columns>;
    /**
     * The rows of the query, to be changed unread: 1,000 of them, limit() says fewer. With enableTrigger false and no
     * limit all are changed; of more than 1,000 the answer is then ManyStarted.
     */
    getWithoutData(query: Query): StoredRows<Columns>;
    /** 204. */
    delete(id: string | number, options?: { enableTrigger?: boolean }): Promise<Answer<"">>;
    delete(query: Query, options: WriteOptions & { enableTrigger: false }): Promise<Answer<ManyDeleted | ManyStarted>>;
    delete(query: Query, options?: WriteOptions): Promise<Answer<ManyDeleted>>;
    /** Rejects with 611. @deprecated page through the rows with find */
    exportData(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated write the rows with createMany */
    importData(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated */
    getExportTask(...options: any[]): Promise<never>;
    /** Rejects with 611. @deprecated */
    getExportTasks(...options: any[]): Promise<never>;
  }
  interface TableObject<Columns = any> extends Selection {}

  type ColumnType =
    | "string" | "integer" | "number" | "boolean" | "array" | "object" | "file" | "date" | "pointer" | "geojson";
  interface Column {
    name: string;
    type: ColumnType;
    description?: string;
    constraints?: { required?: boolean };
    default?: any;
    /** Of an array. */
    items?: { type: ColumnType };
    indexed?: boolean;
    index_ready?: boolean;
    built_in?: boolean;
    [member: string]: any;
  }
  interface TableInfo {
    name?: string;
    schema?: { fields: Column[] };
    /** Who may read new rows, "user:*", "user:7", "gid:5" … */
    row_read_perm?: string[];
    row_write_perm?: string[];
    /** Who may add rows. */
    write_perm?: string[];
    /** Columns that go, of updateSchema. */
    remove_fields?: string[];
  }
  interface Table {
    id: number;
    name: string;
    schema: { fields: Column[] };
    write_perm: string[];
    row_read_perm: string[];
    row_write_perm: string[];
    default_row_perm: { _read_perm: string[]; _write_perm: string[] };
    created_at: number;
    updated_at: number;
  }
  /** Tables themselves. */
  class TableSchema {
    createSchema(info: TableInfo & { name: string }): Promise<Answer<Table>>;
    getSchema(id: string | number): Promise<Answer<Table>>;
    getSchemaList(options?: { offset?: number; limit?: number }): Promise<Answer<Page<Table>>>;
    updateSchema(id: string | number, info: TableInfo): Promise<Answer<Table>>;
    deleteSchema(id: string | number): Promise<Answer<"">>;
  }
}
