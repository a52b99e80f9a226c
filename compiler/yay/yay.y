/*
 * yay.y - the grammar of Yay: stanzas of data, directives, and Python's expressions.
 *
 * The lexer gives INDENT and DEDENT, tells the ':' of a key (COLON) from that of a directive, and
 * ends every line with NEWLINE.  An expression's `else` and the conditional associate to the right,
 * so that `a else b if c else d` is `a else (b if c else d)`.  The filter of `for` is without a
 * bare `else`, which is what tells it from a conditional.
 */
%code requires {
#include "compiler/yay/front.h"
#include "compiler/ir/ir.h"
}
%code {
/* Where a rule's first symbol stands: anchors of errors. */
#define YYLLOC_DEFAULT(cur, rhs, n) do { \
	if (n) { (cur) = YYRHSLOC(rhs, 1); (cur).to = YYRHSLOC(rhs, n).to; } \
	else { (cur) = YYRHSLOC(rhs, 0); (cur).from = (cur).to; } } while (0)
int yayy_lex(YAYY_STYPE *, YAYY_LTYPE *, yay_ctx *);
static void yayy_error(const YAYY_LTYPE *, yay_ctx *, const char *);
#define ROW(kind, ...) yr_row(x, YAY_##kind, yyloc, __VA_ARGS__)
#define OP(kind, op, a, b) yr_op(x, YAY_##kind, yyloc, op, a, b)
}

%define api.pure full
%define api.prefix {yayy_}
%define api.location.type {yay_loc}
%define parse.error custom
%define parse.lac full
%locations
%expect 0
%param {yay_ctx *x}

%union {
	yay_token tok; /* itself: the lexer forgets it */
	yay_chain chain;
	uint32_t row;
	int op;
}

%token <tok> VALUE IDENTIFIER STRING INTEGER FLOAT MULTILINE NEWLINE
%token DOCUMENT_START EXPRESSION_START
%token COLON HYPHEN INDENT DEDENT LDBRACE RDBRACE EMPTYDICT EMPTYLIST MULTILINE_END
%token EXTEND INCLUDE SEARCH NEW PROTOTYPE FOR SET IF ELIF ELSE SELECT MACRO CALL CREATE CONFIGURE
%token IMPORT
%token AS IN AND OR NOT IS LAMBDA
%token EQ NE LE GE SHL SHR POW FLOORDIV BAD

%type <row> stanza entry case extend item directive body orelse scalar part template
%type <row> exprs expr cond or_test and_test not_test comparison link or_expr xor_expr
%type <row> and_expr shift arith term unary power
%type <row> primary atom pair arg comp_part target param old_expr slice
%type <chain> stanzas parts lines cases list pairs args comp comp_rest links targets params
%type <op> comp_op add_op mul_op shift_op sign
%type <row> opt_expr

%%

root: DOCUMENT_START                  { x->result = yr_body(x, @$, (yay_chain){ 0, 0, 0 }); }
    | DOCUMENT_START stanzas          { x->result = yr_body(x, @2, $2); }
    | EXPRESSION_START exprs NEWLINE  { x->result = $2; }
    ;

/* ---- data ---- */

stanzas: stanza                       { $$ = yr_stanza(x, (yay_chain){ 0, 0, 0 }, $1); }
       | stanzas stanza               { $$ = yr_stanza(x, $1, $2); }
       ;

stanza: entry
      | extend
      | item
      | directive
      ;

entry: case
     ;

case: VALUE COLON scalar NEWLINE      { $$ = yr_entry(x, @1, &$1, $3, 0); }
    | VALUE COLON NEWLINE             { $$ = yr_entry(x, @1, &$1, 0, 0); }
    | VALUE COLON body                { $$ = yr_entry(x, @1, &$1, $3, 0); }
    ;

extend: EXTEND VALUE COLON scalar NEWLINE { $$ = yr_entry(x, @2, &$2, $4, YAY_EXTEND); }
      | EXTEND VALUE COLON body       { $$ = yr_entry(x, @2, &$2, $4, YAY_EXTEND); }
      ;

body: NEWLINE INDENT stanzas DEDENT   { $$ = yr_body(x, @3, $3); }
    ;

item: HYPHEN scalar NEWLINE           { $$ = yr_item(x, @1, $2); }
    | HYPHEN VALUE COLON NEWLINE
                { $$ = yr_item_map(x, @1, yr_entry(x, @2, &$2, 0, 0), (yay_chain){ 0, 0, 0 }); }
    | HYPHEN VALUE COLON body
                { $$ = yr_item_map(x, @1, yr_entry(x, @2, &$2, $4, 0), (yay_chain){ 0, 0, 0 }); }
    | HYPHEN VALUE COLON body INDENT stanzas DEDENT
                                      { $$ = yr_item_map(x, @1, yr_entry(x, @2, &$2, $4, 0), $6); }
    | HYPHEN VALUE COLON scalar NEWLINE
                { $$ = yr_item_map(x, @1, yr_entry(x, @2, &$2, $4, 0), (yay_chain){ 0, 0, 0 }); }
    | HYPHEN VALUE COLON scalar NEWLINE INDENT stanzas DEDENT
                                      { $$ = yr_item_map(x, @1, yr_entry(x, @2, &$2, $4, 0), $7); }
    | template NEWLINE                { $$ = yr_item(x, @1, yr_scalar(x, @1, yr_one($1))); }
    | template parts NEWLINE
                { $2 = yr_add(x, yr_one($1), $2.first); $$ = yr_item(x, @1, yr_scalar(x, @1, $2)); }
    ;

scalar: parts                         { $$ = yr_scalar(x, @1, $1); }
      ;

parts: part                           { $$ = yr_one($1); }
     | parts part                     { $$ = yr_add(x, $1, $2); }
     ;

part: EMPTYDICT                       { $$ = ROW(EMPTYDICT, 0, 0, 0, 0); }
    | EMPTYLIST                       { $$ = ROW(EMPTYLIST, 0, 0, 0, 0); }
    | VALUE                           { $$ = yr_name(x, YAY_TEXT, &$1); }
    | template
    | MULTILINE lines MULTILINE_END   { $$ = yr_block(x, @1, &$1, $2); }
    ;

template: LDBRACE exprs RDBRACE       { $$ = yr_template(x, @1, $2); }
        ;

/* Line ends of a block are a part of their own, a NONE of how many: the chomping style says what
 * it becomes. */
lines: %empty                         { $$ = (yay_chain){ 0, 0, 0 }; }
     | lines VALUE                    { $$ = yr_add(x, $1, yr_name(x, YAY_TEXT, &$2)); }
     | lines template                 { $$ = yr_add(x, $1, $2); }
     | lines NEWLINE
                { $$ = yr_add(x, $1, yr_row(x, YAY_NONE, @2, $2.n, 0, 0, 0)); }
     ;

/* ---- directives ---- */

directive: INCLUDE exprs NEWLINE      { $$ = ROW(INCLUDE, $2, 0, 0, 0); }
         | IMPORT scalar NEWLINE      { $$ = ROW(INCLUDE, $2, 0, 0, 0); x->row[$$].flag = YAY_OLD; }
         | SEARCH exprs NEWLINE       { $$ = ROW(SEARCH, $2, 0, 0, 0); }
         | CONFIGURE VALUE COLON body { $$ = ROW(CONFIGURE, yr_str(x, $2.text, $2.n), $4, 0, 0); }
         | NEW exprs ':' body         { $$ = yr_new(x, @$, $2, $4, 0); }
         | NEW exprs AS IDENTIFIER ':' body
                                      { $$ = yr_new(x, @$, $2, $6, yr_str(x, $4.text, $4.n)); }
         | CREATE exprs ':' body      { $$ = ROW(CREATE, $2, $4, 0, 0); }
         | PROTOTYPE IDENTIFIER ':' body
                                      { $$ = ROW(PROTOTYPE, yr_str(x, $2.text, $2.n), $4, 0, 0); }
         | MACRO IDENTIFIER ':' body  { $$ = ROW(MACRO, yr_str(x, $2.text, $2.n), $4, 0, 0); }
         | CALL primary ':' body      { $$ = ROW(CALL, $2, $4, 0, 0); }
         | SET targets '=' exprs NEWLINE { $$ = ROW(SET, yr_tuple(x, @2, $2, $2.n > 1), $4, 0, 0); }
         | SET targets ',' '=' exprs NEWLINE { $$ = ROW(SET, yr_tuple(x, @2, $2, true), $5, 0, 0); }
         | FOR targets IN exprs ':' body
                                      { $$ = ROW(FOR, yr_tuple(x, @2, $2, $2.n > 1), $4, $6, 0); }
         | FOR targets IN or_test IF or_test ':' body
                                      { $$ = ROW(FOR, yr_tuple(x, @2, $2, $2.n > 1), $4, $8, $6); }
         | IF exprs ':' body orelse   { $$ = ROW(IF, $2, $4, $5, 0); }
         | SELECT exprs ':' NEWLINE INDENT cases DEDENT { $$ = ROW(SELECT, $2, $6.first, 0, 0); }
         ;

orelse: %empty                        { $$ = 0; }
      | ELSE ':' body                 { $$ = $3; }
      | ELIF exprs ':' body orelse    { $$ = ROW(IF, $2, $4, $5, 0); }
      ;

cases: case                           { $$ = yr_one($1); }
     | cases case                     { $$ = yr_add(x, $1, $2); }
     ;

targets: target                       { $$ = yr_one($1); }
       | targets ',' target           { $$ = yr_add(x, $1, $3); }
       ;

target: primary
      ;

/* ---- expressions ---- */

exprs: expr
     | list ',' expr                  { $$ = yr_tuple(x, @$, yr_add(x, $1, $3), true); }
     | list ','                       { $$ = yr_tuple(x, @$, $1, true); }
     ;

list: expr                            { $$ = yr_one($1); }
    | list ',' expr                   { $$ = yr_add(x, $1, $3); }
    ;

expr: cond
    | LAMBDA params ':' expr          { $$ = ROW(LAMBDA, $2.first, $4, 0, 0); }
    ;

cond: or_test
    | or_test IF or_test ELSE expr    { $$ = ROW(TERNARY, $1, $3, $5, 0); }
    | or_test ELSE expr               { $$ = ROW(ELSE, $1, $3, 0, 0); }
    ;

old_expr: or_test
        | LAMBDA params ':' old_expr  { $$ = ROW(LAMBDA, $2.first, $4, 0, 0); }
        ;

params: %empty                        { $$ = (yay_chain){ 0, 0, 0 }; }
      | param                         { $$ = yr_one($1); }
      | params ',' param              { $$ = yr_add(x, $1, $3); }
      | params ','
      ;

param: primary                        { $$ = ROW(PARAM, $1, 0, 0, 0); }
     | primary '=' expr               { $$ = ROW(PARAM, $1, $3, 0, 0); }
     ;

or_test: and_test
       | or_test OR and_test          { $$ = ROW(OR, $1, $3, 0, 0); }
       ;

and_test: not_test
        | and_test AND not_test       { $$ = ROW(AND, $1, $3, 0, 0); }
        ;

not_test: comparison
        | NOT not_test                { $$ = ROW(NOT, $2, 0, 0, 0); }
        ;

comparison: or_expr
          | or_expr links             { $$ = ROW(COMPARE, $1, $2.first, 0, 0); }
          ;

links: link                           { $$ = yr_one($1); }
     | links link                     { $$ = yr_add(x, $1, $2); }
     ;

link: comp_op or_expr                 { $$ = OP(LINK, $1, $2, 0); }
    ;

comp_op: '<'      { $$ = '<'; }
       | '>'      { $$ = '>'; }
       | EQ       { $$ = YAY_OP_EQ; }
       | NE       { $$ = YAY_OP_NE; }
       | LE       { $$ = YAY_OP_LE; }
       | GE       { $$ = YAY_OP_GE; }
       | IN       { $$ = YAY_OP_IN; }
       | NOT IN   { $$ = YAY_OP_NOT_IN; }
       | IS       { $$ = YAY_OP_IS; }
       | IS NOT   { $$ = YAY_OP_IS_NOT; }
       ;

or_expr: xor_expr
       | or_expr '|' xor_expr         { $$ = OP(BINARY, '|', $1, $3); }
       ;

xor_expr: and_expr
        | xor_expr '^' and_expr       { $$ = OP(BINARY, '^', $1, $3); }
        ;

and_expr: shift
        | and_expr '&' shift          { $$ = OP(BINARY, '&', $1, $3); }
        ;

shift: arith
     | shift shift_op arith           { $$ = OP(BINARY, $2, $1, $3); }
     ;

shift_op: SHL     { $$ = YAY_OP_SHL; }
        | SHR     { $$ = YAY_OP_SHR; }
        ;

arith: term
     | arith add_op term              { $$ = OP(BINARY, $2, $1, $3); }
     ;

add_op: '+'       { $$ = '+'; }
      | '-'       { $$ = '-'; }
      ;

term: unary
    | term mul_op unary               { $$ = OP(BINARY, $2, $1, $3); }
    ;

mul_op: '*'       { $$ = '*'; }
      | '/'       { $$ = '/'; }
      | '%'       { $$ = '%'; }
      | FLOORDIV  { $$ = YAY_OP_FLOORDIV; }
      ;

unary: power
     | sign unary                     { $$ = OP(UNARY, $1, $2, 0); }
     ;

sign: '-'         { $$ = '-'; }
    | '+'         { $$ = '+'; }
    | '~'         { $$ = '~'; }
    ;

power: primary
     | primary POW unary              { $$ = OP(BINARY, YAY_OP_POW, $1, $3); }
     ;

primary: atom
       | primary '.' IDENTIFIER       { $$ = ROW(ATTR, $1, yr_str(x, $3.text, $3.n), 0, 0); }
       | primary '[' exprs ']'        { $$ = ROW(INDEX, $1, $3, 0, 0); }
       | primary '[' slice ']'        { $$ = yr_slice(x, @1, $1, $3); }
       | primary '(' ')'              { $$ = ROW(INVOKE, $1, 0, 0, 0); }
       | primary '(' args ')'         { $$ = ROW(INVOKE, $1, $3.first, 0, 0); }
       | primary '(' args ',' ')'     { $$ = ROW(INVOKE, $1, $3.first, 0, 0); }
       | primary '(' expr comp ')'    { $$ = ROW(INVOKE, $1, OP(COMP, '(', $3, $4.first), 0, 0); }
       ;

slice: opt_expr ':' opt_expr          { $$ = ROW(SLICE, 0, $1, $3, 0); }
     | opt_expr ':' opt_expr ':' opt_expr { $$ = ROW(SLICE, 0, $1, $3, $5); }
     ;

opt_expr: %empty                      { $$ = 0; }
        | expr
        ;

args: arg                             { $$ = yr_one($1); }
    | args ',' arg                    { $$ = yr_add(x, $1, $3); }
    ;

arg: expr
   | IDENTIFIER '=' expr              { $$ = ROW(KWARG, yr_str(x, $1.text, $1.n), $3, 0, 0); }
   ;

atom: IDENTIFIER                      { $$ = yr_name(x, YAY_IDENT, &$1); }
    | STRING                          { $$ = yr_name(x, YAY_STR, &$1); }
    | INTEGER                         { $$ = yr_name(x, YAY_NUM, &$1); }
    | FLOAT
                { $$ = yr_name(x, YAY_NUM, &$1); x->row[$$].flag = YAY_FLOAT; }
    | '(' ')'                         { $$ = ROW(TUPLE, 0, 0, 0, 0); }
    | '(' exprs ')'                   { $$ = $2; }
    | '(' expr comp ')'               { $$ = OP(COMP, '(', $2, $3.first); }
    | '[' ']'                         { $$ = ROW(DISPLAY, 0, 0, 0, 0); }
    | '[' list ']'                    { $$ = ROW(DISPLAY, $2.first, 0, 0, 0); }
    | '[' list ',' ']'                { $$ = ROW(DISPLAY, $2.first, 0, 0, 0); }
    | '[' expr comp ']'               { $$ = OP(COMP, '[', $2, $3.first); }
    | '{' '}'                         { $$ = ROW(DICT, 0, 0, 0, 0); }
    | '{' pairs '}'                   { $$ = ROW(DICT, $2.first, 0, 0, 0); }
    | '{' pairs ',' '}'               { $$ = ROW(DICT, $2.first, 0, 0, 0); }
    | '{' pair comp '}'               { $$ = OP(COMP, '{', $2, $3.first); }
    | '{' list '}'                    { $$ = ROW(SETOF, $2.first, 0, 0, 0); }
    | '{' list ',' '}'                { $$ = ROW(SETOF, $2.first, 0, 0, 0); }
    | '{' expr comp '}'               { $$ = OP(COMP, '{', $2, $3.first); }
    | '`' list '`'                    { $$ = ROW(REPR, yr_tuple(x, @2, $2, $2.n > 1), 0, 0, 0); }
    ;

pairs: pair                           { $$ = yr_one($1); }
     | pairs ',' pair                 { $$ = yr_add(x, $1, $3); }
     ;

pair: expr ':' expr                   { $$ = ROW(PAIR, $1, $3, 0, 0); }
    ;

comp: FOR targets IN or_test
                { $$ = yr_one(yr_row(x, YAY_CFOR, @1, yr_tuple(x, @2, $2, $2.n > 1), $4, 0, 0)); }
    | FOR targets IN or_test comp_rest
                { $$ = yr_add(x, yr_one(yr_row(x, YAY_CFOR, @1, yr_tuple(x, @2, $2, $2.n > 1), $4,
                       0, 0)), $5.first); }
    ;

comp_rest: comp
         | comp_part                  { $$ = yr_one($1); }
         | comp_part comp_rest        { $$ = yr_add(x, yr_one($1), $2.first); }
         ;

comp_part: IF old_expr                { $$ = ROW(CIF, $2, 0, 0, 0); }
         ;

%%

int
yayy_lex(YAYY_STYPE *value, YAYY_LTYPE *loc, yay_ctx *x)
{
	const yay_token *t;

	if (x->at == x->ntok && !x->whole)
		yr_lex_more(x);
	x->at += x->at < x->ntok; /* there is no end of ends */
	t = &x->tok[x->at - 1];
	value->tok = *t;
	*loc = t->loc;
	return x->broken ? YAYY_EOF : t->kind;
}

static int
yyreport_syntax_error(const yypcontext_t *ctx, yay_ctx *x)
{
	(void)ctx;
	(void)yypcontext_expected_tokens;
	yr_unexpected(x, &x->tok[x->at - 1]);
	return 0;
}

/* Bison calls this when its stack reached its limit. */
static void
yayy_error(const YAYY_LTYPE *loc, yay_ctx *x, const char *message)
{
	(void)message;
	yr_fail(x, "ParseError", *loc, VC_E3007, "this is nested too deeply");
}

int
yr_parse(yay_ctx *x)
{
	return yayy_parse(x);
}
