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
   * Conditions on rows; they hold all together. An argument of a wrong type throws 605. A Date is sent as ISO text.
   */
  class Query {
    /** All of them hold. */
    static and(...queries: Query[]): Query;
    /** One of them holds. */
    static or(...queries: Query[]): Query;
    /** The value may be a record, which stands for its id. */
    compare(field: string, operator: "=" | "!=" | "<" | "<=" | ">" | ">=", value: any): this;
    /** The text occurs in the field, case-sensitive. */
    contains(field: string, text: string): this;
    /** Flags i, m and s count; look-around and back-references are refused. */
    matches(field: string, pattern: RegExp): this;
    in(field: string, values: readonly any[]): this;
    notIn(field: string, values: readonly any[]): this;
    /** The array column holds all of them. */
    arrayContains(field: string, values: readonly any[]): this;
    /** from ≤ value < to */
    range(field: string, bounds: readonly [from: any, to: any]): this;
    isNull(...fields: (string | string[])[]): this;
    isNotNull(...fields: (string | string[])[]): this;
    exists(...fields: (string | string[])[]): this;
    notExists(...fields: (string | string[])[]): this;
    /** The object column has the key. */
    hasKey(field: string, key: string): this;
    /** The shape holds the point. */
    include(field: string, point: GeoPoint): this;
    within(field: string, polygon: GeoPolygon): this;
    withinCircle(field: string, point: GeoPoint, kilometres: number): this;
    /** Nearest first. */
    withinRegion(field: string, point: GeoPoint, maxMetres?: number, minMetres?: number): this;
    /** The `where` of the HTTP interface. */
    readonly queryObject: object;
    toJSON(): object;
  }

  /** What a pointer column holds. */
  interface Pointer {
    id: string | number;
    _table: string;
  }
  /** What a file column holds. */
  interface FileValue {
    id: string;
    name: string;
    path: string;
    cdn_path: string;
    mime_type: string;
    size: number;
    created_at: number;
  }

  /** What every row has besides its columns. */
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

  /** A column that may be written: of tables whose columns are not said, any. */
  type Field<Columns> = Extract<keyof Columns, string> | Exclude<keyof RowMembers, "id" | "_id">;
  /** A column, or a path into an object column. */
  type Path<Columns> = Field<Columns> | `${Field<Columns>}.${string}`;
  /** A value of a column, or what becomes one. */
  type Value<Columns, Name> =
    | (Name extends keyof Columns ? Columns[Name] : any)
    | Changes | Pointer | GeoPoint | GeoPolygon | Date | null;

  /** Changes to one record, or to all that a query selects. It is empty again when they were sent. */
  interface Changes<Columns = any> {
    /** Of the record; undefined when it is new or stands for many. */
    readonly id: any;
    /** What a column that points at this record holds. */
    pointer(): Pointer;
    /** Merges with what was set. A record becomes what a pointer to it holds, in created_by its id. */
    set<Name extends Field<Columns>>(field: Name, value: Value<Columns, Name>): this;
    set(fields: { [Name in Field<Columns>]?: Value<Columns, Name> }): this;
    /** Takes values away; a field that is set, too, throws 605. */
    unset(...fields: (Field<Columns> | Field<Columns>[] | { [Name in Field<Columns>]?: "" })[]): this;
    /** Atomic, as all that follow. */
    incrementBy(field: Path<Columns>, n: number): this;
    append(field: Field<Columns>, items: any): this;
    /** Appends what is not there yet. */
    uAppend(field: Field<Columns>, items: any): this;
    /** Of objects, shapes and files only the first item. */
    remove(field: Field<Columns>, items: any): this;
    /** Changes members of an object column, one level deep. */
    patchObject(field: Field<Columns>, values: object): this;
    /** Takes the last item away, shift the first. */
    pop(field: Field<Columns>): this;
    shift(field: Field<Columns>): this;
    /** The body that would be sent; the record is empty afterwards. */
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
    /** The row as it is now. */
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
   * What lists take; the settings hold for the next request only. A limit or offset that is no integer throws 605.
   */
  interface Selection {
    setQuery(query: Query): this;
    /** Default 20, at most 1,000. */
    limit(n: number): this;
    offset(n: number): this;
    /** A leading minus descends. */
    orderBy(fields: string | string[]): this;
    /** Fields to show, or with a leading minus those not to; mixed signs are ignored. */
    select(fields: string | string[]): this;
    /** Puts records in the place of pointers to them, and of created_by; select("ptr.field") shows parts of them. */
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
