package main

// patches are our changes to quickjs.c. All but the first two are about places: QuickJS-ng points to the name before a
// parenthesis, or to nothing near it; with these every call stands at its parenthesis and every member at its dot, from
// where messages and stacks find what V8 shows.
var patches = []patch{
	{
		why: "errors are told of when they have a stack",
		before: "    if (JS_IsUndefined(ctx->error_back_trace))\n" +
			"        ctx->error_back_trace = js_dup(stack);\n",
		after: "    if (JS_IsUndefined(ctx->error_back_trace))\n" +
			"        ctx->error_back_trace = js_dup(stack);\n" +
			"    error_thrown(ctx, error_obj, stack);\n",
	},
	{
		why: "declared before it is used",
		before: "static void build_backtrace(JSContext *ctx, JSValueConst error_val,\n" +
			"                            JSValueConst filter_func, const char *filename,\n" +
			"                            int line_num, int col_num, int backtrace_flags)\n" +
			"{",
		after: "static void error_thrown(JSContext *ctx, JSValueConst error, JSValueConst stack);\n" +
			"static void build_backtrace(JSContext *ctx, JSValueConst error_val,\n" +
			"                            JSValueConst filter_func, const char *filename,\n" +
			"                            int line_num, int col_num, int backtrace_flags)\n" +
			"{",
	},
	{
		why: "where the token of a call or member stands",
		before: "        bool has_optional_chain = false;\n" +
			"\n" +
			"        if (s->token.val == TOK_QUESTION_MARK_DOT) {",
		after: "        bool has_optional_chain = false;\n" +
			"        int at_line = s->token.line_num, at_col = s->token.col_num;\n" +
			"\n" +
			"        if (s->token.val == TOK_QUESTION_MARK_DOT) {",
	},
	{
		why: "a call stands at its parenthesis",
		before: "        parse_func_call:\n" +
			"            if (next_token(s))",
		after: "        parse_func_call:\n" +
			"            at_line = s->token.line_num, at_col = s->token.col_num;\n" +
			"            if (next_token(s))",
	},
	{
		why: "its arguments do not",
		before: "            parse_func_call2:\n" +
			"                emit_source_loc(s);\n",
		after: "            parse_func_call2:\n",
	},
	{
		why:    "a call with spread arguments",
		before: "                /* apply function call */\n",
		after: "                emit_source_loc_at(s, at_line, at_col);\n" +
			"                /* apply function call */\n",
	},
	{
		why: "a call",
		before: "            emit_func_call:\n" +
			"                switch(opcode) {",
		after: "            emit_func_call:\n" +
			"                emit_source_loc_at(s, at_line, at_col);\n" +
			"                switch(opcode) {",
	},
	{
		why: "a private member",
		before: "                emit_op(s, OP_scope_get_private_field);\n" +
			"                emit_atom(s, s->token.u.ident.atom);\n" +
			"                emit_u16(s, s->cur_func->scope_level);\n" +
			"            } else {\n" +
			"                if (!token_is_ident",
		after: "                emit_source_loc_at(s, at_line, at_col);\n" +
			"                emit_op(s, OP_scope_get_private_field);\n" +
			"                emit_atom(s, s->token.u.ident.atom);\n" +
			"                emit_u16(s, s->cur_func->scope_level);\n" +
			"            } else {\n" +
			"                if (!token_is_ident",
	},
	{
		why: "a member",
		before: "                    emit_op(s, OP_get_field);\n" +
			"                    emit_atom(s, s->token.u.ident.atom);\n" +
			"                }\n" +
			"            }\n" +
			"            if (next_token(s))\n" +
			"                return -1;\n" +
			"        } else if (s->token.val == '[') {",
		after: "                    emit_source_loc_at(s, at_line, at_col);\n" +
			"                    emit_op(s, OP_get_field);\n" +
			"                    emit_atom(s, s->token.u.ident.atom);\n" +
			"                }\n" +
			"            }\n" +
			"            if (next_token(s))\n" +
			"                return -1;\n" +
			"        } else if (s->token.val == '[') {",
	},
	{
		why: "an index",
		before: "                emit_op(s, OP_get_super_value);\n" +
			"            } else {\n" +
			"                emit_op(s, OP_get_array_el);\n" +
			"            }\n" +
			"        } else {\n" +
			"            break;",
		after: "                emit_op(s, OP_get_super_value);\n" +
			"            } else {\n" +
			"                emit_source_loc_at(s, at_line, at_col);\n" +
			"                emit_op(s, OP_get_array_el);\n" +
			"            }\n" +
			"        } else {\n" +
			"            break;",
	},
	{
		why:    "a column is that of the token, in bytes",
		before: "    s->token.col_num = max_int(1, s->mark - s->eol);\n",
		after:  "    s->token.col_num = s->token.ptr - s->eol;\n",
	},
	{
		why:    "columns of the first line count from 1",
		before: "    s->eol = s->buf_ptr;\n",
		after:  "    s->eol = s->buf_ptr - 1;\n",
	},
}
