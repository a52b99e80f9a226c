/*
 * yaql.y - the grammar of YAQL 2.0 with its two dialects.
 *
 * Precedence lists the operators loosest first; the lexer gives one token an operator group and
 * keeps the operator itself in the token.  It also tells '(' that calls a value from '(' that
 * groups, and gives => as MAPPING (a keyword argument) or, in legacy mode, as the operator ARROW.
 * The argument lists are the language of the reference's ambiguous grammar after its conflicts are
 * resolved: empty slots anywhere but at the end, keyword arguments last, at most one empty slot in
 * front of them and never only empty ones.
 */
%code requires {
#include "compiler/yaql/int.h"
}
%code {
int yqy_lex(YQY_STYPE *, YQY_LTYPE *, yq_ctx *);
static void yqy_error(const YQY_LTYPE *, yq_ctx *, const char *);
/* A constructor gives NULL when the tree got too deep; the error is set by then. */
#define NODE(e) do { yq_node *node_ = (e); if (!node_) YYABORT; yyval.yq_nodep = node_; } while (0)
#define AT(place) ((yq_tok){ .at = (place).from })
#define NONE ((yq_vec){ NULL, 0 })
}

%define api.pure full
%define api.prefix {yqy_}
%define api.location.type {yq_loc}
%define parse.error custom
%define parse.lac full
%locations
%expect 0
%param {yq_ctx *x}

%union {
	yq_tok tok;
	yq_vec vec;
	yq_node *yq_nodep;
	uint32_t count;
}

%token <tok> STRING NUMBER TRUE FALSE NULLCONST KEYWORD DOLLAR FUNC
%token <tok> MAPPING "=>" SEND "->" ARROW "legacy =>" OR "or" AND "and" NOT "not"
%token <tok> COMPARE ADD MULTIPLY MATCH DOT "." COLON ":"
%token CALL "call ("

%precedence "call ("
%right "->"
%left "legacy =>"
%left "or"
%left "and"
%precedence "not"
%left COMPARE
%left ADD
%left MULTIPLY
%left MATCH
%precedence SIGN
%precedence '['
%left "."
%left ":"

%type <yq_nodep> value named
%type <vec> args list nameds
%type <count> commas

%%

whole: value                    { x->result = $1; }
     ;

value: STRING                   { NODE(yq_leaf(x, YQ_STRING, @$, $1)); }
     | NUMBER                   { NODE(yq_leaf(x, YQ_NUMBER, @$, $1)); }
     | TRUE                     { NODE(yq_leaf(x, YQ_TRUE, @$, $1)); }
     | FALSE                    { NODE(yq_leaf(x, YQ_FALSE, @$, $1)); }
     | NULLCONST                { NODE(yq_leaf(x, YQ_NULL, @$, $1)); }
     | KEYWORD                  { NODE(yq_leaf(x, YQ_KEYWORD, @$, $1)); }
     | DOLLAR                   { NODE(yq_leaf(x, YQ_VAR, @$, $1)); }
     | '(' value ')'            { NODE(yq_wrap(x, @$, $2)); }
     | FUNC args ')'            { NODE(yq_branch(x, YQ_CALL, @$, $1, $2)); }
     | value "call (" args ')'   { NODE(yq_branch(x, YQ_INVOKE, @$, AT(@2), yq_front(x, $1, $3))); }
     | value '[' args ']'       { NODE(yq_branch(x, YQ_INDEX, @$, AT(@2), yq_front(x, $1, $3))); }
     | '[' args ']'             { NODE(yq_branch(x, YQ_LIST, @$, AT(@1), $2)); }
     | '{' args '}'             { NODE(yq_branch(x, YQ_MAP, @$, AT(@1), $2)); }
     | value "->" value         { NODE(yq_binary(x, @$, $2, $1, $3)); }
     | value "legacy =>" value  { NODE(yq_binary(x, @$, $2, $1, $3)); }
     | value "or" value         { NODE(yq_binary(x, @$, $2, $1, $3)); }
     | value "and" value        { NODE(yq_binary(x, @$, $2, $1, $3)); }
     | value COMPARE value      { NODE(yq_binary(x, @$, $2, $1, $3)); }
     | value ADD value          { NODE(yq_binary(x, @$, $2, $1, $3)); }
     | value MULTIPLY value     { NODE(yq_binary(x, @$, $2, $1, $3)); }
     | value MATCH value        { NODE(yq_binary(x, @$, $2, $1, $3)); }
     | value "." value          { NODE(yq_binary(x, @$, $2, $1, $3)); }
     | value ":" value          { NODE(yq_binary(x, @$, $2, $1, $3)); }
     | "not" value              { NODE(yq_unary(x, @$, $1, $2)); }
     | ADD value %prec SIGN     { NODE(yq_unary(x, @$, $1, $2)); }
     | ":" value                { NODE(yq_unary(x, @$, $1, $2)); }
     ;

args: %empty                    { $$ = NONE; }
    | list
    | nameds
    | list ',' nameds           { $$ = yq_join(x, $1, $3); }
    | list ',' ',' nameds       { $$ = yq_join(x, yq_skip(x, $1, 1, @3.from), $4); }
    ;

list: value                     { $$ = yq_vec1(x, $1); }
    | commas value              { $$ = yq_add(x, yq_skip(x, NONE, $1, @1.from), $2); }
    | list ',' value            { $$ = yq_add(x, $1, $3); }
    | list ',' ',' value        { $$ = yq_add(x, yq_skip(x, $1, 1, @3.from), $4); }
    | list ',' ',' commas value { $$ = yq_add(x, yq_skip(x, $1, $4 + 1, @3.from), $5); }
    ;

commas: ','                     { $$ = 1; }
      | commas ','              { $$ = $1 + 1; }
      ;

nameds: named                   { $$ = yq_vec1(x, $1); }
      | nameds ',' named        { $$ = yq_add(x, $1, $3); }
      ;

named: value "=>" value         { NODE(yq_pair(x, @$, $2, $1, $3)); }
     ;

%%

static int
yyreport_syntax_error(const yypcontext_t *ctx, yq_ctx *x)
{
	(void)ctx;
	(void)yypcontext_expected_tokens;
	yq_fail_token(x);
	return 0;
}

/* Bison calls this when its stack reached its limit: prefix operators in thousands. */
static void
yqy_error(const YQY_LTYPE *loc, yq_ctx *x, const char *message)
{
	(void)message;
	yq_fail_depth(x, loc->from);
}
