package main

// context is what asynchronous code runs in: a value of AsyncLocalStorage. A reaction to a promise keeps the one in
// which it was asked for, every other job the one in which it was added; a run that has none pays for one word.
var context = []patch{
	{
		why:    "a job has a context",
		before: "typedef struct JSJobEntry {\n    struct list_head link;\n",
		after:  "static JSValue async_context = JS_UNDEFINED;\n\ntypedef struct JSJobEntry {\n    struct list_head link;\n    JSValue context;\n",
	},
	{
		why:    "that in which it is added",
		before: "    e->job_func = job_func;\n    e->argc = argc;\n",
		after:  "    e->context = js_dup(async_context);\n    e->job_func = job_func;\n    e->argc = argc;\n",
	},
	{
		why:    "and in which it runs",
		before: "    res = e->job_func(e->ctx, e->argc, vc(e->argv));\n",
		after: "    JSValue before = async_context;\n    async_context = e->context;\n" +
			"    res = e->job_func(e->ctx, e->argc, vc(e->argv));\n" +
			"    JS_FreeValue(ctx, async_context);\n    async_context = before;\n",
	},
	{
		why:    "a reaction has one",
		before: "typedef struct JSPromiseReactionData {\n",
		after:  "typedef struct JSPromiseReactionData {\n    JSValue context;\n",
	},
	{
		why:    "that of then or await",
		before: "        rd->handler = js_dup(handler);\n",
		after:  "        rd->handler = js_dup(handler);\n        rd->context = js_dup(async_context);\n",
	},
	{
		why:    "in which it is added when its promise is settled",
		before: "        JS_EnqueueJob(ctx, promise_reaction_job, 5, args);\n        list_del(&rd->link);\n",
		after: "        JSValue before = async_context;\n        async_context = rd->context;\n" +
			"        JS_EnqueueJob(ctx, promise_reaction_job, 5, args);\n        async_context = before;\n        list_del(&rd->link);\n",
	},
	{
		why:    "it is given back",
		before: "    JS_FreeValueRT(rt, rd->handler);\n    js_free_rt(rt, rd);\n",
		after:  "    JS_FreeValueRT(rt, rd->handler);\n    JS_FreeValueRT(rt, rd->context);\n    js_free_rt(rt, rd);\n",
	},
	{
		why:    "and known to garbage collection",
		before: "            JS_MarkValue(rt, rd->handler, mark_func);\n",
		after:  "            JS_MarkValue(rt, rd->handler, mark_func);\n            JS_MarkValue(rt, rd->context, mark_func);\n",
	},
}

// depth makes JSON.stringify linear in how deep objects are nested: what is being written is marked, and only when a
// mark is met is the list of those objects looked through. A mark of a stringify within another one stays its own. How
// deep it may go is counted: a level takes little of the stack of wasm, which is watched, and much of Go's.
var depth = []patch{
	{
		why: "as deep as V8 goes, about",
		before: "    if (js_check_stack_overflow(ctx->rt, 0)) {\n        JS_ThrowStackOverflow(ctx);\n        goto exception;\n    }\n\n" +
			"    if (JS_IsObject(val)) {\n        p = JS_VALUE_GET_OBJ(val);\n        cl = p->class_id;\n        if (cl == JS_CLASS_STRING) {",
		after: "    if (js_check_stack_overflow(ctx->rt, 0) || JS_VALUE_GET_OBJ(jsc->stack)->u.array.count >= 10000) {\n" +
			"        JS_ThrowStackOverflow(ctx);\n        goto exception;\n    }\n\n" +
			"    if (JS_IsObject(val)) {\n        p = JS_VALUE_GET_OBJ(val);\n        cl = p->class_id;\n        if (cl == JS_CLASS_STRING) {",
	},
	{
		why:    "whether this call marked its object",
		before: "    int64_t i, len;\n    int cl, ret;\n    bool has_content;\n",
		after:  "    int64_t i, len;\n    int cl, ret;\n    bool has_content, marked = false;\n",
	},
	{
		why:    "only a marked object can be on its way",
		before: "        v = js_array_includes(ctx, jsc->stack, 1, vc(&val));\n        if (JS_IsException(v))\n            goto exception;\n        if (JS_ToBoolFree(ctx, v)) {",
		after:  "        v = p->tmp_mark ? js_array_includes(ctx, jsc->stack, 1, vc(&val)) : JS_FALSE;\n        if (JS_IsException(v))\n            goto exception;\n        if (JS_ToBoolFree(ctx, v)) {",
	},
	{
		why:    "it is marked",
		before: "        v = js_array_push(ctx, jsc->stack, 1, vc(&val), 0);\n        if (check_exception_free(ctx, v))\n            goto exception;\n        ret = js_is_array(ctx, val);",
		after:  "        v = js_array_push(ctx, jsc->stack, 1, vc(&val), 0);\n        if (check_exception_free(ctx, v))\n            goto exception;\n        marked = !p->tmp_mark;\n        if (marked)\n            p->tmp_mark = 1;\n        ret = js_is_array(ctx, val);",
	},
	{
		why:    "and no longer",
		before: "        if (check_exception_free(ctx, js_array_pop(ctx, jsc->stack, 0, NULL, 0)))\n            goto exception;\n        JS_FreeValue(ctx, val);\n        JS_FreeValue(ctx, tab);",
		after:  "        if (marked)\n            p->tmp_mark = 0;\n        marked = false;\n        if (check_exception_free(ctx, js_array_pop(ctx, jsc->stack, 0, NULL, 0)))\n            goto exception;\n        JS_FreeValue(ctx, val);\n        JS_FreeValue(ctx, tab);",
	},
	{
		why:    "nor when something throws",
		before: "\nexception:\n    JS_FreeValue(ctx, val);\n    JS_FreeValue(ctx, tab);\n    JS_FreeValue(ctx, sep);\n",
		after:  "\nexception:\n    if (marked)\n        p->tmp_mark = 0;\n    JS_FreeValue(ctx, val);\n    JS_FreeValue(ctx, tab);\n    JS_FreeValue(ctx, sep);\n",
	},
}
