// Rows, tables and the conditions on them.
declare namespace BaaS {
  class GeoPoint {
    constructor(longitude: number, latitude: number);
    toGeoJSON(): object;
  }
  class GeoPolygon {
    /** At least 4 points, the last the same as the first. */
    constructor(points: ([longitude: number, latitude: number] | GeoPoint)[]);
    toGeoJSON(): object;
  }

  /** Conditions on rows; they hold all together. A Date is sent as ISO text. */
  class Query {
    static and(...queries: Query[]): Query;
    static or(...queries: Query[]): Query;
    compare(field: string, operator: "=" | "!=" | "<" | "<=" | ">" | ">=", value: any): this;
    /** The text occurs in the field, case-sensitive. */
    contains(field: string, text: string): this;
    /** Flags i, m and s count; look-around and back-references are refused. */
    matches(field: string, pattern: RegExp): this;
    in(field: string, values: any[]): this;
    notIn(field: string, values: any[]): this;
    /** The array column holds all of them. */
    arrayContains(field: string, values: any[]): this;
    /** from ≤ value < to */
    range(field: string, bounds: [from: any, to: any]): this;
    isNull(...fields: (string | string[])[]): this;
    isNotNull(...fields: (string | string[])[]): this;
    exists(...fields: (string | string[])[]): this;
    notExists(...fields: (string | string[])[]): this;
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

  /** Changes to one record, or to all that a query selects; empty again when they were sent. */
  interface Record {
    readonly id: any;
    /** A record becomes what a pointer to it holds, in created_by its id. */
    set(field: string, value: any): this;
    set(fields: { [field: string]: any }): this;
    unset(...fields: (string | string[] | object)[]): this;
    /** Atomic, as all that follow. */
    incrementBy(field: string, n: number): this;
    append(field: string, items: any): this;
    /** Appends what is not there yet. */
    uAppend(field: string, items: any): this;
    /** Of objects, shapes and files only the first item. */
    remove(field: string, items: any): this;
    patchObject(field: string, values: object): this;
    /** Takes the last item away, shift the first. */
    pop(field: string): this;
    shift(field: string): this;
  }
  interface WriteOptions {
    /** false = without firing triggers. */
    enableTrigger?: boolean;
    /** Of many records: also count all that match. */
    withCount?: boolean;
  }
  interface NewRow extends Record {
    save(options?: WriteOptions): Promise<Answer>;
  }
  interface StoredRow extends Record {
    update(options?: WriteOptions): Promise<Answer>;
  }

  /** What lists take; the settings hold for the next request only. */
  class Selection {
    setQuery(query: Query): this;
    /** Default 20, at most 1000. */
    limit(n: number): this;
    offset(n: number): this;
    /** A leading minus descends. */
    orderBy(fields: string | string[]): this;
    /** Fields to show, or with a leading minus those not to. */
    select(fields: string | string[]): this;
    /** Puts records in the place of pointers to them, and of created_by; select("ptr.field") shows parts of them. */
    expand(fields: string | string[]): this;
  }

  /** Rows of a table. In answers _id is id, and read_perm and write_perm are there, too. */
  class TableObject extends Selection {
    constructor(table: string | number);
    get(id: string | number): Promise<Answer>;
    find(options?: { withCount?: boolean }): Promise<Answer<Page>>;
    count(): Promise<number>;
    create(): NewRow;
    /** At most 1000 rows. */
    createMany(rows: object[], options?: WriteOptions): Promise<Answer>;
    /**
     * The row of that id, or the rows of the query, to be changed unread: 1000 of them, limit() says fewer. With
     * enableTrigger false and no limit all are changed; of more than 1000 the answer is then {status, operation_id},
     * see getAsyncJobResult.
     */
    getWithoutData(target: string | number | Query): StoredRow;
    delete(target: string | number | Query, options?: WriteOptions): Promise<Answer>;
  }

  /** Tables themselves. */
  class TableSchema {
    /** {name, schema: {fields}, row_read_perm, row_write_perm, write_perm} */
    createSchema(info: object): Promise<Answer>;
    getSchema(id: string | number): Promise<Answer>;
    getSchemaList(options?: { offset?: number; limit?: number }): Promise<Answer<Page>>;
    updateSchema(id: string | number, info: object): Promise<Answer>;
    deleteSchema(id: string | number): Promise<Answer>;
  }
}
