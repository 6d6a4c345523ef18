package prelude

// rowCalls are calls for rows and tables.
var rowCalls = []conversation{
	{"columns called as members of objects", `const r = new BaaS.TableObject("t").create();
		r.set("constructor", 1).set({ toString: "x", hasOwnProperty: true }).unset("valueOf"); r.incrementBy("isPrototypeOf", 2);
		try { r.unset("constructor") } catch (e) { console.log(e.message) }
		await r.save()`,
		"api", `{"method":"POST","path":"/oserve/v2.4/table/t/record/","query":{},"body":{"$set":{"constructor":1,"toString":"x","hasOwnProperty":true,"isPrototypeOf":{"$incr_by":2}},"$unset":{"valueOf":""}}}`,
		`{"status":201,"body":{"id":"1"}}`, `605: incorrect parameter type: constructor is set already`},
	{"a part of a pointer called constructor", `await new BaaS.TableObject("t").select(["constructor.name", "a"]).find(); console.log("done")`,
		"api", `{"method":"GET","path":"/oserve/v2.4/table/t/record/","query":{"keys":"constructor,a"},"body":null}`,
		`{"status":200,"body":{"meta":{},"objects":[]}}`, `done`},
	{"rows are found by a query", `const q = BaaS.Query.or(new BaaS.Query().compare("age", ">=", 18).contains("name", "a"), new BaaS.Query().isNull("age"));
		const r = await new BaaS.TableObject("42").setQuery(q).orderBy(["-age", "id"]).limit(5).offset(10).select("name").find({ withCount: true }); console.log(r.statusCode, r.data.objects)`,
		"api", `{"method":"GET","path":"/oserve/v2.4/table/42/record/","query":{"where":"{\"$or\":[{\"$and\":[{\"age\":{\"$gte\":18}},{\"name\":{\"$contains\":\"a\"}}]},{\"age\":{\"$isnull\":true}}]}","order_by":"-age,id","limit":5,"offset":10,"keys":"name","return_total_count":1},"body":null}`,
		`{"status":200,"body":{"meta":{},"objects":[1]}}`, `200 [ 1 ]`},
	{"every condition", `const point = new BaaS.GeoPoint(1, 2), q = () => new BaaS.Query();
		const all = [q().compare("a", "=", new Date(0)), q().compare("a", "!=", 1), q().compare("a", "<", 1), q().compare("a", "<=", 1), q().compare("a", ">", 1),
			q().matches("a", /x.y/gi), q().matches("a", /z/), q().in("a", [1]), q().notIn("a", [2]), q().arrayContains("a", [3]), q().range("a", [1, 2]),
			q().isNull(["a", "b"]), q().isNotNull("a"), q().exists("a"), q().notExists("a", "b"), q().hasKey("a", "k"),
			q().include("a", point), q().within("a", new BaaS.GeoPolygon([[0, 0], new BaaS.GeoPoint(1, 0), [1, 1], [0, 0]])),
			q().withinCircle("a", point, 5), q().withinRegion("a", point, 9), q().withinRegion("a", point, 9, 3)];
		for (const one of all) console.log(JSON.stringify(one.queryObject)); await new BaaS.TableObject(1).setQuery(BaaS.Query.and(q(), all[1])).find()`,
		"api", `{"method":"GET","path":"/oserve/v2.4/table/1/record/","query":{"where":"{\"$and\":[{},{\"a\":{\"$ne\":1}}]}"},"body":null}`, `{"status":200,"body":{}}`,
		`{"a":{"$eq":"1970-01-01T00:00:00.000Z"}}
LOG {"a":{"$ne":1}}
LOG {"a":{"$lt":1}}
LOG {"a":{"$lte":1}}
LOG {"a":{"$gt":1}}
LOG {"a":{"$regex":"x.y","$options":"i"}}
LOG {"a":{"$regex":"z"}}
LOG {"a":{"$in":[1]}}
LOG {"a":{"$nin":[2]}}
LOG {"a":{"$all":[3]}}
LOG {"a":{"$range":[1,2]}}
LOG {"$and":[{"a":{"$isnull":true}},{"b":{"$isnull":true}}]}
LOG {"a":{"$isnull":false}}
LOG {"a":{"$exists":true}}
LOG {"$and":[{"a":{"$exists":false}},{"b":{"$exists":false}}]}
LOG {"a":{"$has_key":"k"}}
LOG {"a":{"$intersects":{"type":"Point","coordinates":[1,2]}}}
LOG {"a":{"$within":{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}}}
LOG {"a":{"$center":{"radius":5,"coordinates":[1,2]}}}
LOG {"a":{"$nearsphere":{"geometry":{"type":"Point","coordinates":[1,2]},"min_distance":0,"max_distance":9}}}
LOG {"a":{"$nearsphere":{"geometry":{"type":"Point","coordinates":[1,2]},"min_distance":3,"max_distance":9}}}`},
	{"records are what pointers hold", `const other = new BaaS.TableObject("t2").getWithoutData("5f"), user = new BaaS.User().getWithoutData(9);
		const q = new BaaS.Query().compare("p", "=", other).in("created_by", [user]);
		await new BaaS.TableObject("t").getWithoutData(q).set({ p: other, created_by: user, list: [other] }).set("at", new BaaS.GeoPoint(1, 2)).update(); console.log("ok")`,
		"api", `{"method":"PUT","path":"/oserve/v2.6/table/t/record/","query":{"where":"{\"$and\":[{\"p\":{\"$eq\":\"5f\"}},{\"created_by\":{\"$in\":[9]}}]}","limit":1000},"body":{"p":{"_table":"t2","id":"5f"},"created_by":9,"list":[{"_table":"t2","id":"5f"}],"at":{"type":"Point","coordinates":[1,2]}}}`,
		`{"status":200,"body":{"succeed":1}}`, `ok`},
	{"a row is read with its names here", `const { data } = await new BaaS.TableObject("t").select(["a", "read_perm"]).expand("p").get("5f"); console.log(JSON.stringify(data))`,
		"api", `{"method":"GET","path":"/oserve/v2.4/table/t/record/5f/","query":{"keys":"a,_read_perm"},"body":null}`,
		`{"status":200,"body":{"id":"5f","a":1,"_read_perm":["user:*"]}}`,
		`{"id":"5f","a":1,"_read_perm":["user:*"],"_id":"5f","read_perm":["user:*"]}`},
	{"fields of mixed signs are ignored", `const { data } = await new BaaS.TableObject("t").select("a,-b").find(); console.log(data.objects[0]._id)`,
		"api", `{"method":"GET","path":"/oserve/v2.4/table/t/record/","query":{},"body":null}`,
		`{"status":200,"body":{"objects":[{"id":"5f"}]}}`, `5f`},
	{"rows are counted", `console.log(await new BaaS.TableObject("t").setQuery(new BaaS.Query().exists("a")).count())`,
		"api", `{"method":"GET","path":"/oserve/v2.4/table/t/record/","query":{"where":"{\"a\":{\"$exists\":true}}","limit":1,"return_total_count":1},"body":null}`,
		`{"status":200,"body":{"meta":{"total_count":7},"objects":[]}}`, `7`},
	{"a row is created", `const r = await new BaaS.TableObject(42).create().set({ a: 1, read_perm: ["user:anonymous"] }).set("b", [2]).save({ enableTrigger: false }); console.log(r.status, r.data._id)`,
		"api", `{"method":"POST","path":"/oserve/v2.4/table/42/record/","query":{"enable_trigger":0},"body":{"a":1,"_read_perm":["user:anonymous"],"b":[2]}}`, `{"status":201,"body":{"id":"x"}}`, `201 x`},
	{"many rows are created", `const r = await new BaaS.TableObject(42).createMany([{ a: 1, write_perm: [] }, { a: 2 }], { enableTrigger: false }); console.log(r.data.succeed)`,
		"api", `{"method":"POST","path":"/oserve/v2.4/table/42/record/","query":{"enable_trigger":0},"body":[{"a":1,"_write_perm":[]},{"a":2}]}`, `{"status":201,"body":{"succeed":2}}`, `2`},
	{"a row is updated with operators", `await new BaaS.TableObject(42).getWithoutData("5f/..").set("a", 1).incrementBy("n", -2).append("l", 1).uAppend("u", [2]).remove("r", [3, 4]).remove("objects", [{ a: 1 }, { a: 2 }]).patchObject("o", { k: 1 }).pop("p").shift("q").unset("z").unset({ y: "" }).update(); console.log("ok")`,
		"api", `{"method":"PUT","path":"/oserve/v2.6/table/42/record/5f%2F../","query":{},"body":{"$set":{"a":1,"n":{"$incr_by":-2},"l":{"$append":[1]},"u":{"$append_unique":[2]},"r":{"$remove":[3,4]},"objects":{"$remove":[{"a":1}]},"o":{"$update":{"k":1}},"p":{"$pop":1},"q":{"$pop":-1}},"$unset":{"z":"","y":""}}}`,
		`{"status":200,"body":{}}`, `ok`},
	{"rows are updated in the background", `const r = await new BaaS.TableObject(42).getWithoutData(new BaaS.Query()).set("a", 1).update({ enableTrigger: false, withCount: true }); console.log(r.data)`,
		"api", `{"method":"PUT","path":"/oserve/v2.6/table/42/record/","query":{"where":"{}","enable_trigger":0,"return_total_count":1},"body":{"a":1}}`,
		`{"status":200,"body":{"status":"ok","operation_id":7}}`, `{ status: 'ok', operation_id: 7 }`},
	{"a row is deleted", `const r = await new BaaS.TableObject(42).delete("5f"); console.log(r.status, r.statusText, [r.data])`,
		"api", `{"method":"DELETE","path":"/oserve/v2.4/table/42/record/5f/","query":{},"body":null}`, `{"status":204,"body":null}`, `204 No Content [ '' ]`},
	{"rows are deleted by a query", `const r = await new BaaS.TableObject(42).limit(5).delete(new BaaS.Query().in("id", ["a"]), { enableTrigger: false, withCount: true }); console.log(r.data)`,
		"api", `{"method":"DELETE","path":"/oserve/v2.4/table/42/record/","query":{"limit":5,"where":"{\"id\":{\"$in\":[\"a\"]}}","enable_trigger":0,"return_total_count":1},"body":null}`,
		`{"status":200,"body":{"succeed":1,"offset":0,"limit":5,"next":null,"total_count":1,"operation_result":[1]}}`,
		`{ succeed: 1, offset: 0, limit: 5, next: null, total_count: 1 }`},
	{"an endpoint refuses", `try { await new BaaS.TableObject(42).get("a") } catch (e) { console.log(e.name, e.code, e.status, e.message, e.request) }`,
		"api", `{"method":"GET","path":"/oserve/v2.4/table/42/record/a/","query":{},"body":null}`,
		`!{"message":"no row a","status":404}`, `BaaSError 404 404 404: no row a { method: 'GET', path: '/oserve/v2.4/table/42/record/a/' }`},

	{"a table is made", `const { data } = await new BaaS.TableSchema().createSchema({ name: "t", schema: { fields: [] }, row_read_perm: ["user:*"], write_perm: [] }); console.log(data.id, data.row_read_perm, data.row_write_perm)`,
		"api", `{"method":"POST","path":"/oserve/v1.8/table/","query":null,"body":{"name":"t","schema":{"fields":[]},"write_perm":[],"default_row_perm":{"_read_perm":["user:*"]}}}`,
		`{"status":201,"body":{"id":1,"default_row_perm":{"_read_perm":["user:*"],"_write_perm":[]}}}`, `1 [ 'user:*' ] []`},
	{"a table is read", `console.log((await new BaaS.TableSchema().getSchema(1)).data)`,
		"api", `{"method":"GET","path":"/oserve/v1.8/table/1/","query":null,"body":null}`, `{"status":200,"body":{"id":1}}`, `{ id: 1 }`},
	{"tables are listed", `console.log((await new BaaS.TableSchema().getSchemaList({ limit: 2 })).data.objects)`,
		"api", `{"method":"GET","path":"/oserve/v1.8/table/","query":{"limit":2},"body":null}`, `{"status":200,"body":{"objects":[{"id":1}]}}`, `[ { id: 1 } ]`},
	{"a table is changed", `console.log((await new BaaS.TableSchema().updateSchema(1, { row_write_perm: ["x"] })).data)`,
		"api", `{"method":"PUT","path":"/oserve/v1.8/table/1/","query":null,"body":{"default_row_perm":{"_write_perm":["x"]}}}`, `{"status":200,"body":{"id":1}}`, `{ id: 1 }`},
	{"a table goes", `console.log((await new BaaS.TableSchema().deleteSchema(1)).status)`,
		"api", `{"method":"DELETE","path":"/oserve/v1.8/table/1/","query":null,"body":null}`, `{"status":204,"body":null}`, `204`},

	{"what is left out of a write is logged", `await new BaaS.TableObject("t").create().set({ a: 1, n: "x", "ü": 2 }).save(); console.log("ok")`,
		"api", `{"method":"POST","path":"/oserve/v2.4/table/t/record/","query":{},"body":{"a":1,"n":"x","ü":2}}`,
		`{"status":201,"headers":{"x-service-skipped-fields":"n,%C3%BC","x-service-skipped-needs":"[\"needs an integer\",\"does not exist\"]"},"body":{"id":"x"}}`,
		"\x00WARN BaaS: field \"n\" needs an integer; skipped\nWARN BaaS: field \"ü\" does not exist; skipped\nLOG ok"},
	{"rows have the names of here in questions, too", `await new BaaS.TableObject("t").setQuery(new BaaS.Query().in("_id", ["5f"]).hasKey("read_perm", "x")).orderBy("-_id").select(["-_id", "-write_perm"]).find(); console.log("ok")`,
		"api", `{"method":"GET","path":"/oserve/v2.4/table/t/record/","query":{"where":"{\"$and\":[{\"id\":{\"$in\":[\"5f\"]}},{\"_read_perm\":{\"$has_key\":\"x\"}}]}","order_by":"-id","keys":"-id,-_write_perm"},"body":null}`,
		`{"status":200,"body":{"objects":[]}}`, `ok`},
	{"a number within an object is incremented", `await new BaaS.TableObject("t").getWithoutData("5f").incrementBy("o.k", 2).update(); console.log("ok")`,
		"api", `{"method":"PUT","path":"/oserve/v2.6/table/t/record/5f/","query":{},"body":{"o.k":{"$incr_by":2}}}`, `{"status":200,"body":{}}`, `ok`},
}
