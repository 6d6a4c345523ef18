// BaaS.Query, GeoPoint and GeoPolygon: what a where is built of (D26, F17).
(function (host, load) {
  "use strict";
  const { wrong } = load("baas");
  const operators = { __proto__: null, "=": "$eq", "!=": "$ne", "<": "$lt", "<=": "$lte", ">": "$gt", ">=": "$gte" };

  class GeoPoint {
    #longitude; #latitude;
    constructor(longitude, latitude) {
      if (typeof longitude !== "number" || typeof latitude !== "number") throw wrong("a GeoPoint needs longitude and latitude");
      this.#longitude = longitude;
      this.#latitude = latitude;
    }
    get longitude() { return this.#longitude; }
    get latitude() { return this.#latitude; }
    get coordinates() { return [this.#longitude, this.#latitude]; }
    toGeoJSON() { return { type: "Point", coordinates: this.coordinates }; }
    toJSON() { return this.toGeoJSON(); }
  }

  class GeoPolygon {
    #points;
    constructor(points) {
      if (!Array.isArray(points) || points.length < 4) throw wrong("a GeoPolygon needs at least 4 points");
      this.#points = points.map((point) => {
        if (point instanceof GeoPoint) return point.coordinates;
        if (!Array.isArray(point) || point.length !== 2 || point.some((n) => typeof n !== "number")) throw wrong("a point is [longitude, latitude] or a GeoPoint");
        return [...point];
      });
    }
    toGeoJSON() { return { type: "Polygon", coordinates: [this.#points] }; }
    toJSON() { return this.toGeoJSON(); }
  }

  // operand is a value as a condition sends it: a record is its id, which is
  // what pointers are compared by.
  function operand(field, value) {
    const { Record, plain } = load("baas_record");
    if (!(value instanceof Record)) return plain(field, value);
    if (value.id === undefined) throw wrong("a record without an id cannot be compared with");
    return value.id;
  }

  const text = (value, what) => {
    if (typeof value !== "string" || value === "") throw wrong(`${what} needs a text`);
    return value;
  };
  const list = (value, what) => {
    if (!Array.isArray(value)) throw wrong(`${what} needs an array`);
    return value;
  };
  const of = (value, kind, what) => {
    if (!(value instanceof kind)) throw wrong(`${what} needs a ${kind.name}`);
    return value;
  };

  // Query builds a where; its conditions hold all together.
  class Query {
    #terms = [];
    static and(...queries) { return Query.#join("$and", queries); }
    static or(...queries) { return Query.#join("$or", queries); }
    static #join(operator, queries) {
      const query = new Query();
      query.#terms.push({ [operator]: queries.flat().map((q) => of(q, Query, `Query.${operator.slice(1)}`).toJSON()) });
      return query;
    }
    #add(field, condition) {
      this.#terms.push({ [load("baas_record").askedName(text(field, "a condition"))]: condition });
      return this;
    }
    compare(field, operator, value) {
      if (!(operator in operators)) throw wrong(`unknown operator "${operator}", there are ${Object.keys(operators).join(" ")}`);
      return this.#add(field, { [operators[operator]]: operand(field, value) });
    }
    contains(field, part) { return this.#add(field, { $contains: text(part, "contains") }); }
    matches(field, pattern) {
      of(pattern, RegExp, "matches");
      if (pattern.source === "(?:)") throw wrong("matches needs a RegExp that is not empty");
      const options = pattern.flags.replace(/[^ims]/g, "");
      return this.#add(field, options === "" ? { $regex: pattern.source } : { $regex: pattern.source, $options: options });
    }
    in(field, values) { return this.#add(field, { $in: list(values, "in").map((v) => operand(field, v)) }); }
    notIn(field, values) { return this.#add(field, { $nin: list(values, "notIn").map((v) => operand(field, v)) }); }
    arrayContains(field, values) { return this.#add(field, { $all: list(values, "arrayContains") }); }
    range(field, bounds) {
      if (list(bounds, "range").length !== 2) throw wrong("range needs [from, to]");
      return this.#add(field, { $range: [bounds[0], bounds[1]] });
    }
    isNull(...fields) { return this.#each(fields, { $isnull: true }); }
    isNotNull(...fields) { return this.#each(fields, { $isnull: false }); }
    exists(...fields) { return this.#each(fields, { $exists: true }); }
    notExists(...fields) { return this.#each(fields, { $exists: false }); }
    hasKey(field, key) { return this.#add(field, { $has_key: text(key, "hasKey") }); }
    include(field, point) { return this.#add(field, { $intersects: of(point, GeoPoint, "include").toGeoJSON() }); }
    within(field, polygon) { return this.#add(field, { $within: of(polygon, GeoPolygon, "within").toGeoJSON() }); }
    withinCircle(field, point, kilometres) {
      if (typeof kilometres !== "number") throw wrong("withinCircle needs a radius in kilometres");
      return this.#add(field, { $center: { radius: kilometres, coordinates: of(point, GeoPoint, "withinCircle").coordinates } });
    }
    withinRegion(field, point, maxMetres, minMetres = 0) {
      const near = { geometry: of(point, GeoPoint, "withinRegion").toGeoJSON(), min_distance: minMetres };
      if (maxMetres !== undefined) near.max_distance = maxMetres;
      return this.#add(field, { $nearsphere: near });
    }
    #each(fields, condition) {
      const all = fields.flat();
      if (all.length === 0) throw wrong("a condition needs a text");
      for (const field of all) this.#add(field, condition);
      return this;
    }
    get queryObject() { return this.toJSON(); }
    toJSON() {
      if (this.#terms.length === 0) return {};
      return this.#terms.length === 1 ? this.#terms[0] : { $and: this.#terms };
    }
  }

  return { __proto__: null, Query, GeoPoint, GeoPolygon };
});
