package main

// runtime are the changes that functions of Node notice: messages that name what was declared twice, an error where the
// engine had no memory for one, frames of the async functions that wait, RegExp.$1, and the zone in the text of a date.
var runtime = []patch{
	{
		why: "declared before it is used: async frames and the last match",
		before: "static void build_backtrace(JSContext *ctx, JSValueConst error_val,\n" +
			"                            JSValueConst filter_func, const char *filename,\n" +
			"                            int line_num, int col_num, int backtrace_flags)\n" +
			"{",
		after: "static void async_frames(JSContext *ctx, DynBuf *out, int limit);\n" +
			"static void remember_match(JSContext *ctx, JSValueConst text, uint8_t **capture, int count, uint8_t *from, int shift);\n" +
			"static JSValue js_regexp_group(JSContext *ctx, JSValueConst this_val, int magic);\n" +
			"static void build_backtrace(JSContext *ctx, JSValueConst error_val,\n" +
			"                            JSValueConst filter_func, const char *filename,\n" +
			"                            int line_num, int col_num, int backtrace_flags)\n" +
			"{",
	},
	{
		why: "the async functions that wait for this one",
		before: " done:\n" +
			"    if (has_prepare) {\n" +
			"        int j = 0, k;\n",
		after: "    if (!has_prepare && i < stack_trace_limit)\n" +
			"        async_frames(ctx, &dbuf, stack_trace_limit - i);\n" +
			" done:\n" +
			"    if (has_prepare) {\n" +
			"        int j = 0, k;\n",
	},
	{
		why: "some functions fail without an exception when memory is gone",
		before: " exception:\n" +
			"    if (needs_backtrace(rt->current_exception)\n",
		after: " exception:\n" +
			"    if (JS_IsUninitialized(rt->current_exception))\n" +
			"        JS_ThrowOutOfMemory(ctx);\n" +
			"    if (needs_backtrace(rt->current_exception)\n",
	},
	{
		why: "the last match of a regular expression",
		before: "        index = (capture[0] - str_buf) >> shift;\n" +
			"        props[0].u.value = js_int32(capture_count); // length\n",
		after: "        index = (capture[0] - str_buf) >> shift;\n" +
			"        remember_match(ctx, str_val, capture, capture_count, str_buf, shift);\n" +
			"        props[0].u.value = js_int32(capture_count); // length\n",
	},
	{
		why:    "RegExp.$1 to $9",
		before: "static const JSCFunctionListEntry js_regexp_funcs[] = {\n",
		after: "static const JSCFunctionListEntry js_regexp_funcs[] = {\n" +
			"    JS_CGETSET_MAGIC_DEF(\"$1\", js_regexp_group, NULL, 1 ),\n" +
			"    JS_CGETSET_MAGIC_DEF(\"$2\", js_regexp_group, NULL, 2 ),\n" +
			"    JS_CGETSET_MAGIC_DEF(\"$3\", js_regexp_group, NULL, 3 ),\n" +
			"    JS_CGETSET_MAGIC_DEF(\"$4\", js_regexp_group, NULL, 4 ),\n" +
			"    JS_CGETSET_MAGIC_DEF(\"$5\", js_regexp_group, NULL, 5 ),\n" +
			"    JS_CGETSET_MAGIC_DEF(\"$6\", js_regexp_group, NULL, 6 ),\n" +
			"    JS_CGETSET_MAGIC_DEF(\"$7\", js_regexp_group, NULL, 7 ),\n" +
			"    JS_CGETSET_MAGIC_DEF(\"$8\", js_regexp_group, NULL, 8 ),\n" +
			"    JS_CGETSET_MAGIC_DEF(\"$9\", js_regexp_group, NULL, 9 ),\n",
	},
	{
		why:    "the zone in the text of a date: the engine's is UTC",
		before: "            /* XXX: tack the time zone code? */\n",
		after: "            if (tz == 0)\n" +
			"                pos += snprintf(buf + pos, sizeof(buf) - pos, \" (Coordinated Universal Time)\");\n",
	},
	{
		why: "room for it",
		before: "    // _string(obj, fmt, part)\n" +
			"    char buf[64];\n",
		after: "    // _string(obj, fmt, part)\n" +
			"    char buf[128];\n",
	},
	{
		why:    "a function declared twice in a module",
		before: `js_parse_error(s, "invalid redefinition of global identifier in module code")`,
		after:  `js_parse_error(s, "Identifier '%s' has already been declared", NAME(func_name))`,
	},
	{
		why: "a function declared twice",
		before: "                js_parse_error(s, \"invalid redefinition of global identifier\");\n" +
			"                JS_FreeAtom(ctx, func_name);\n",
		after: "                js_parse_error(s, \"Identifier '%s' has already been declared\", NAME(func_name));\n" +
			"                JS_FreeAtom(ctx, func_name);\n",
	},
}
