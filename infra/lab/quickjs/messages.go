package main

// messages are changes of the C source where V8's message needs more than other words: a value, a name, or the place
// in the source from where Go reads what it is about. c/words.c has the functions.
var messages = []patch{
	{
		why: "what words.c offers",
		before: "static void build_backtrace(JSContext *ctx, JSValueConst error_val,\n" +
			"                            JSValueConst filter_func, const char *filename,\n" +
			"                            int line_num, int col_num, int backtrace_flags)\n{",
		after: `enum { WORDS = 128, LONG_WORDS = 1024 };
struct JSParseState;
static const char *name_of(JSContext *c, char *buf, JSAtom atom);
static const char *plain(JSContext *c, char *buf, JSValueConst v);
static const char *typed(JSContext *c, char *buf, JSValueConst v);
static const char *running(JSContext *c, char *buf);
static bool runs_code(JSContext *c);
static const char *has_length(JSContext *c);
static int throw_constant(JSContext *c, JSAtom atom);
static int throw_read_only(JSContext *c, int flags, JSAtom atom, JSValueConst v);
static JSValue throw_receiver(JSContext *c, int class_id, JSValueConst v);
static void throw_circular(JSContext *c, JSValueConst stack, JSValueConst value);
static int json_place(struct JSParseState *s, const uint8_t *at);
static int json_unexpected(struct JSParseState *s, const uint8_t *at);
static JSValue throw_bad_regexp(JSContext *c, JSValueConst pattern, JSValueConst flags, const char *why);
static JSValue js_function_toString(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv);
#define NAME(atom) name_of(ctx, (char[WORDS]){0}, atom)
#define PLAIN(v) plain(ctx, (char[WORDS]){0}, v)
#define TYPED(v) typed(ctx, (char[WORDS]){0}, v)
#define RUNNING running(ctx, (char[WORDS]){0})
` + "static void build_backtrace(JSContext *ctx, JSValueConst error_val,\n" +
			"                            JSValueConst filter_func, const char *filename,\n" +
			"                            int line_num, int col_num, int backtrace_flags)\n{",
	},
	{
		why:    "messages are as long as V8's",
		before: "    char buf[256];\n\n    vsnprintf(buf, sizeof(buf), fmt, ap);\n    return JS_MakeError2(",
		after:  "    char buf[LONG_WORDS];\n\n    vsnprintf(buf, sizeof(buf), fmt, ap);\n    return JS_MakeError2(",
	},
	{
		why: "symbols are Symbol(name)",
		before: "    char buf[ATOM_GET_STR_BUF_SIZE];\n    JS_AtomGetStr(ctx, buf, sizeof(buf), atom);\n" +
			"    return JS_ThrowTypeError(ctx, fmt, buf);\n",
		after: "    return JS_ThrowTypeError(ctx, fmt, NAME(atom));\n",
	},
	{
		why:    "what is no constructor",
		before: "    return JS_ThrowTypeErrorAtom(ctx, \"%s is not a constructor\", name);\nfini:\n    return JS_ThrowTypeError(ctx, \"not a constructor\");\n",
		after:  "fini:\n    return JS_ThrowTypeError(ctx, \"%s is not a constructor\", PLAIN(func_obj));\n",
	},
	{
		why:    "what is no function",
		before: "    JS_ThrowTypeErrorNotAFunction(ctx);\n    return -1;\n}\n\nstatic int check_exception_free",
		after:  "    JS_ThrowTypeError(ctx, \"%s is not a function\", PLAIN(obj));\n    return -1;\n}\n\nstatic int check_exception_free",
	},
	{
		why:    "what promises are made with",
		before: "    executor = argv[0];\n    if (check_function(ctx, executor))\n        return JS_EXCEPTION;\n    obj = js_promise_new(",
		after: "    executor = argv[0];\n    if (!JS_IsFunction(ctx, executor))\n" +
			"        return JS_ThrowTypeError(ctx, \"Promise resolver %s is not a function\", PLAIN(executor));\n    obj = js_promise_new(",
	},
	{
		why: "what is used before it is there",
		before: "    return JS_ThrowReferenceError(ctx, \"%s is not initialized\",\n" +
			"                                  name == JS_ATOM_NULL ? \"lexical variable\" :",
		after: "    if (name == JS_ATOM_this)\n" +
			"        return JS_ThrowReferenceError(ctx, \"Must call super constructor in derived class before accessing 'this' or returning from derived constructor\");\n" +
			"    return JS_ThrowReferenceError(ctx, \"Cannot access '%s' before initialization\",\n" +
			"                                  name == JS_ATOM_NULL ? \"lexical variable\" :",
	},
	{
		why:    "the right side of instanceof",
		before: "        JS_ThrowTypeError(ctx, \"invalid 'instanceof' right operand\");",
		after:  "        JS_ThrowTypeError(ctx, \"Right-hand side of 'instanceof' is not %s\", JS_IsObject(obj) ? \"callable\" : \"an object\");",
	},
	{
		why: "the right side of in",
		before: "    if (JS_VALUE_GET_TAG(op2) != JS_TAG_OBJECT) {\n" +
			"        JS_ThrowTypeError(ctx, \"invalid 'in' operand\");",
		after: "    if (JS_VALUE_GET_TAG(op2) != JS_TAG_OBJECT) {\n" +
			"        JS_ThrowTypeError(ctx, \"Cannot use 'in' operator to search for '%s' in %s\", PLAIN(op1), PLAIN(op2));",
	},
	{
		why:    "a property of what is no object",
		before: "        ret = JS_ThrowTypeErrorOrFalse(ctx, flags, \"not an object\");",
		after:  "        if (JS_IsString(this_obj) && __JS_AtomIsTaggedInt(prop)) {\n            ret = throw_read_only(ctx, flags, prop, this_obj);\n            goto done;\n        }\n        ret = JS_ThrowTypeErrorOrFalse(ctx, flags, \"Cannot create property '%s' on %s '%s'\", NAME(prop), JS_IsString(this_obj) ? \"string\" : \"number\", PLAIN(this_obj));",
	},
	{
		why:    "a property without a setter",
		before: "            return call_setter(ctx, pr->u.getset.setter, this_obj, val, flags);\n        } else if ((prs->flags & JS_PROP_TMASK) == JS_PROP_VARREF) {",
		after: "            if (!pr->u.getset.setter) {\n                JS_FreeValue(ctx, val);\n" +
			"                return JS_ThrowTypeErrorOrFalse(ctx, flags, \"Cannot set property %s of %s which has only a getter\", NAME(prop), PLAIN(this_obj));\n            }\n" +
			"            return call_setter(ctx, pr->u.getset.setter, this_obj, val, flags);\n        } else if ((prs->flags & JS_PROP_TMASK) == JS_PROP_VARREF) {",
	},
	{
		why:    "a property that inherits a getter",
		before: "                return call_setter(ctx, pr->u.getset.setter, this_obj, val, flags);\n",
		after: "                if (!pr->u.getset.setter) {\n                    JS_FreeValue(ctx, val);\n" +
			"                    return JS_ThrowTypeErrorOrFalse(ctx, flags, \"Cannot set property %s of %s which has only a getter\", NAME(prop), PLAIN(this_obj));\n                }\n" +
			"                return call_setter(ctx, pr->u.getset.setter, this_obj, val, flags);\n",
	},
	{
		why: "what is not iterable: nothing",
		before: "    } else {\n        method = JS_GetProperty(ctx, obj, JS_ATOM_Symbol_iterator);\n        if (JS_IsException(method))\n            return method;\n    }\n" +
			"    if (!JS_IsFunction(ctx, method)) {\n        JS_FreeValue(ctx, method);\n        return JS_ThrowTypeError(ctx, \"value is not iterable\");",
		after: "    } else {\n        method = JS_UNDEFINED;\n        if (!JS_IsNull(obj) && !JS_IsUndefined(obj))\n            method = JS_GetProperty(ctx, obj, JS_ATOM_Symbol_iterator);\n        if (JS_IsException(method))\n            return method;\n    }\n" +
			"    if (!JS_IsFunction(ctx, method)) {\n        JS_FreeValue(ctx, method);\n        return JS_ThrowTypeError(ctx, \"%s is not iterable (cannot read property Symbol(Symbol.iterator))\", TYPED(obj));",
	},
	{
		why:    "an asynchronous iterator",
		before: "            sync_iter = JS_GetIterator2(ctx, obj, method);\n",
		after: "            if (!JS_IsFunction(ctx, method)) {\n                JS_FreeValue(ctx, method);\n" +
			"                return JS_ThrowTypeError(ctx, \"%s is not async iterable\", TYPED(obj));\n            }\n" +
			"            sync_iter = JS_GetIterator2(ctx, obj, method);\n",
	},
	{
		why:    "what an iterator is",
		before: "        JS_FreeValue(ctx, enum_obj);\n        return JS_ThrowTypeErrorNotAnObject(ctx);\n",
		after:  "        JS_FreeValue(ctx, enum_obj);\n        return JS_ThrowTypeError(ctx, \"Result of the Symbol.iterator method is not an object\");\n",
	},
	{
		why:    "the object that a pattern takes apart",
		before: "        CASE(OP_to_object):\n            if (JS_VALUE_GET_TAG(sp[-1]) != JS_TAG_OBJECT) {\n                sf->cur_pc = pc;\n",
		after: "        CASE(OP_to_object):\n            if (JS_VALUE_GET_TAG(sp[-1]) != JS_TAG_OBJECT) {\n                sf->cur_pc = pc;\n" +
			"                if (JS_IsNull(sp[-1]) || JS_IsUndefined(sp[-1])) {\n" +
			"                    JS_ThrowTypeError(ctx, \"Cannot destructure '%s' as it is %s.\", TYPED(sp[-1]), PLAIN(sp[-1]));\n" +
			"                    goto exception;\n                }\n",
	},
	{
		why:    "a pattern stands at its brace",
		before: "        if (next_token(s))\n            return -1;\n        /* throw an exception if the value cannot be converted to an object */\n        emit_op(s, OP_to_object);\n",
		after:  "        emit_source_loc(s);\n        if (next_token(s))\n            return -1;\n        /* throw an exception if the value cannot be converted to an object */\n        emit_op(s, OP_to_object);\n",
	},
	{
		why:    "a pattern of an array at its bracket",
		before: "        block_env.has_iterator = true;\n        emit_op(s, OP_for_of_start);\n        has_spread = false;\n",
		after:  "        block_env.has_iterator = true;\n        emit_source_loc_at(s, source_line_num, source_col_num);\n        emit_op(s, OP_for_of_start);\n        has_spread = false;\n",
	},
	{
		why:    "what is iterated over stands where it begins",
		before: "    if (is_for_of) {\n        if (js_parse_assign_expr(s))\n            return -1;\n    } else {",
		after: "    int of_line = s->token.line_num, of_col = s->token.col_num;\n" +
			"    if (is_for_of) {\n        if (js_parse_assign_expr(s))\n            return -1;\n    } else {",
	},
	{
		why:    "and the loop with it",
		before: "        break_entry.drop_count += 2;\n        if (is_async)\n            emit_op(s, OP_for_await_of_start);",
		after:  "        break_entry.drop_count += 2;\n        emit_source_loc_at(s, of_line, of_col);\n        if (is_async)\n            emit_op(s, OP_for_await_of_start);",
	},
	{
		why:    "what is spread in a list",
		before: "            if (next_token(s))\n                return -1;\n            if (js_parse_assign_expr(s))\n                return -1;\n            emit_op(s, OP_append);\n",
		after: "            if (next_token(s))\n                return -1;\n            int spread_line = s->token.line_num, spread_col = s->token.col_num;\n" +
			"            if (js_parse_assign_expr(s))\n                return -1;\n            emit_source_loc_at(s, spread_line, spread_col);\n            emit_op(s, OP_append);\n",
	},
	{
		why:    "what is spread in arguments",
		before: "                        if (js_parse_assign_expr(s))\n                            return -1;\n                        /* XXX: could pass is_last indicator? */\n",
		after: "                        int spread_line = s->token.line_num, spread_col = s->token.col_num;\n" +
			"                        if (js_parse_assign_expr(s))\n                            return -1;\n                        emit_source_loc_at(s, spread_line, spread_col);\n",
	},
	{
		why:    "what a Map is made of",
		before: "                if (!JS_IsObject(item)) {\n                    JS_ThrowTypeErrorNotAnObject(ctx);\n                    goto fail1;\n                }\n                key = JS_GetPropertyUint32(ctx, item, 0);\n                if (JS_IsException(key))\n                    goto fail1;\n                value = JS_GetPropertyUint32(ctx, item, 1);\n                if (JS_IsException(value))\n                    goto fail1;\n                args[0] = key;",
		after:  "                if (!JS_IsObject(item)) {\n                    JS_ThrowTypeError(ctx, \"Iterator value %s is not an entry object\", PLAIN(item));\n                    goto fail1;\n                }\n                key = JS_GetPropertyUint32(ctx, item, 0);\n                if (JS_IsException(key))\n                    goto fail1;\n                value = JS_GetPropertyUint32(ctx, item, 1);\n                if (JS_IsException(value))\n                    goto fail1;\n                args[0] = key;",
	},
	{
		why:    "toFixed",
		before: "    if (f < 0 || f > 100)\n        return JS_ThrowRangeError(ctx, \"invalid number of digits\");\n",
		after:  "    if (f < 0 || f > 100)\n        return JS_ThrowRangeError(ctx, \"toFixed() digits argument must be between 0 and 100\");\n",
	},
	{
		why:    "toExponential",
		before: "        if (f < 0 || f > 100)\n            return JS_ThrowRangeError(ctx, \"invalid number of digits\");\n",
		after:  "        if (f < 0 || f > 100)\n            return JS_ThrowRangeError(ctx, \"toExponential() argument must be between 0 and 100\");\n",
	},
	{
		why:    "toPrecision",
		before: "    if (p < 1 || p > 100)\n        return JS_ThrowRangeError(ctx, \"invalid number of digits\");\n",
		after:  "    if (p < 1 || p > 100)\n        return JS_ThrowRangeError(ctx, \"toPrecision() argument must be between 1 and 100\");\n",
	},
	{
		why:    "the flags of a regular expression",
		before: "            bad_flags:\n                JS_FreeCString(ctx, str);\n                return JS_ThrowSyntaxError(ctx, \"invalid regular expression flags\");",
		after:  "            bad_flags:\n                JS_FreeCString(ctx, str);\n                return JS_ThrowSyntaxError(ctx, \"Invalid flags supplied to RegExp constructor '%s'\", PLAIN(flags));",
	},
	{
		why:    "what is wrong in a regular expression",
		before: "        JS_ThrowSyntaxError(ctx, \"%s\", error_msg);\n        return JS_EXCEPTION;\n",
		after:  "        return throw_bad_regexp(ctx, pattern, flags, error_msg);\n",
	},
	{
		why: "JSON: what is not expected",
		before: "        if (s->token.val == TOK_EOF) {\n            js_parse_error(s, \"Unexpected end of JSON input\");\n        } else {\n" +
			"            js_parse_error(s, \"unexpected token: '%.*s'\",\n                           (int)(s->buf_ptr - s->token.ptr), s->token.ptr);\n        }\n",
		after: "        json_unexpected(s, s->token.val == TOK_EOF ? s->buf_end : s->token.ptr);\n",
	},
	{
		why: "JSON: a character that begins nothing",
		before: "            if (p_next == p + 1) {\n                js_parse_error(s, \"Unexpected token '\\\\x%02x' in JSON\", *p);\n            } else {\n" +
			"                if (c > 0xFFFF) {\n                    c = get_hi_surrogate(c);\n                }\n" +
			"                js_parse_error(s, \"Unexpected token '\\\\u%04x' in JSON\", c);\n            }\n",
		after: "            json_unexpected(s, p);\n",
	},
	{
		why:    "JSON: a text without end",
		before: " end_of_input:\n    js_parse_error(s, \"Unexpected end of JSON input\");\n",
		after:  " end_of_input:\n    json_parse_error(s, s->buf_end, \"Unterminated string\");\n",
	},
	{
		why:    "JSON: a name is expected, at the beginning or behind a comma",
		before: "                        json_parse_error(s, s->token.ptr, \"Expected property name or '}'\");\n",
		after:  "                        json_parse_error(s, s->token.ptr, JS_VALUE_GET_OBJ(val)->shape->prop_count ? \"Expected double-quoted property name\" : \"Expected property name or '}'\");\n",
	},
	{
		why:    "what is spread and is nothing",
		before: "    iterator = JS_GetProperty(ctx, sp[-1], JS_ATOM_Symbol_iterator);\n    if (JS_IsException(iterator))\n        return -1;\n",
		after:  "    iterator = JS_IsNull(sp[-1]) || JS_IsUndefined(sp[-1]) ? JS_GetIterator(ctx, sp[-1], false)\n        : JS_GetProperty(ctx, sp[-1], JS_ATOM_Symbol_iterator);\n    if (JS_IsException(iterator))\n        return -1;\n",
	},
	{
		why:    "a private member is written",
		before: "        JS_ThrowTypeErrorPrivateNotFound(ctx, prop);\n    fail:\n",
		after:  "        JS_ThrowTypeErrorAtom(ctx, \"Cannot write private member %s to an object whose class did not declare it\", prop);\n    fail:\n",
	},
	{
		why:    "what an object is made of",
		before: "        value = JS_UNDEFINED;\n        if (!JS_IsObject(item)) {\n            JS_ThrowTypeErrorNotAnObject(ctx);\n            goto fail1;\n",
		after:  "        value = JS_UNDEFINED;\n        if (!JS_IsObject(item)) {\n            JS_ThrowTypeError(ctx, \"Iterator value %s is not an entry object\", PLAIN(item));\n            goto fail1;\n",
	},
	{
		why:    "what a proxy is made of",
		before: "        JS_VALUE_GET_TAG(handler) != JS_TAG_OBJECT) {\n        return JS_ThrowTypeErrorNotAnObject(ctx);\n",
		after:  "        JS_VALUE_GET_TAG(handler) != JS_TAG_OBJECT) {\n        return JS_ThrowTypeError(ctx, \"Cannot create proxy with a non-object as target or handler\");\n",
	},
	{
		why:    "what sorts",
		before: "        if (check_function(ctx, asc.method))\n",
		after:  "        if (!JS_IsFunction(ctx, asc.method) && (JS_ThrowTypeError(ctx, \"The comparison function must be either a function or undefined\"), true))\n",
	},
	{
		why:    "a revoked proxy",
		before: "    if (s->is_revoked) {\n        JS_ThrowTypeErrorRevokedProxy(ctx);\n        return NULL;\n    }\n    method = JS_GetProperty(ctx, s->handler, name);\n",
		after:  "    if (s->is_revoked) {\n        JS_ThrowTypeError(ctx, \"Cannot perform '%s' on a proxy that has been revoked\", NAME(name));\n        return NULL;\n    }\n    method = JS_GetProperty(ctx, s->handler, name);\n",
	},
	{
		why:    "the strings of a template's tag are frozen in bytecode, too",
		before: "        JS_PreventExtensions(ctx, obj);\n    }\n    return obj;\n fail:\n    JS_FreeValue(ctx, obj);\n    return JS_EXCEPTION;\n}\n\nstatic JSValue JS_ReadTypedArray(",
		after:  "        if (seal_template_obj(ctx, obj))\n            goto fail;\n    }\n    return obj;\n fail:\n    JS_FreeValue(ctx, obj);\n    return JS_EXCEPTION;\n}\n\nstatic JSValue JS_ReadTypedArray(",
	},
}
