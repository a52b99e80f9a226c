/*
 * unit_uniname.c - names of characters for \N{NAME}: compiler/yaql/uniname.c.
 *
 * With the argument - it reads lines of a name, a tab and a hexadecimal number from standard input
 * (t/yaql/uninames.t), and says which names have another character; a name with - has none.
 */
#include "compiler/yaql/uniname.c"
#include "t/unit/unit.h"

#include <stdlib.h>

static void
test_names(void)
{
	static const struct {
		const char *name;
		uint32_t cp; /* 0: none */
	} cases[] = {
		{"HEBREW LETTER ALEF", 0x5d0},
		{"hebrew letter alef", 0x5d0},
		{"Hebrew Letter aleF", 0x5d0},
		{"SPACE", 0x20},
		{"TILDE", 0x7e},
		{"SNOWMAN", 0x2603},
		{"PILE OF POO", 0x1f4a9},
		{"TIBETAN MARK BKA- SHOG YIG MGO", 0xf0a},
		{"TIBETAN MARK BKA-SHOG YIG MGO", 0},
		{"TIBETAN LETTER -A", 0xf60},
		{"HANGUL JUNGSEONG O-E", 0x1180},
		{"HANGUL JUNGSEONG OE", 0x116c},
		{"ARABIC LIGATURE UIGHUR KIRGHIZ YEH WITH HAMZA ABOVE WITH ALEF MAKSURA ISOLATED "
		 "FORM",
			0xfbf9},
		/* aliases: a correction, a control, an alternate, a figment, abbreviations */
		{"PRESENTATION FORM FOR VERTICAL RIGHT WHITE LENTICULAR BRACKET", 0xfe18},
		{"PRESENTATION FORM FOR VERTICAL RIGHT WHITE LENTICULAR BRAKCET", 0xfe18},
		{"LINE FEED", 0xa},
		{"BYTE ORDER MARK", 0xfeff},
		{"HIGH OCTET PRESET", 0x81},
		{"NBSP", 0xa0},
		{"VS256", 0xe01ef},
		{"BELL", 0x1f514},
		{"ALERT", 0x7},
		/* computed names */
		{"CJK UNIFIED IDEOGRAPH-4E2D", 0x4e2d},
		{"cjk unified ideograph-4e2d", 0x4e2d},
		{"CJK UNIFIED IDEOGRAPH-2A6DF", 0x2a6df},
		{"CJK UNIFIED IDEOGRAPH-31350", 0x31350},
		{"CJK UNIFIED IDEOGRAPH-2A6E0", 0},
		{"CJK UNIFIED IDEOGRAPH-33FF", 0},
		{"CJK UNIFIED IDEOGRAPH-", 0},
		{"CJK UNIFIED IDEOGRAPH-4E2", 0},
		{"CJK UNIFIED IDEOGRAPH-4E2G", 0},
		{"CJK UNIFIED IDEOGRAPH-004E2D", 0},
		{"CJK COMPATIBILITY IDEOGRAPH-F900", 0xf900},
		{"TANGUT IDEOGRAPH-17000", 0x17000},
		{"HANGUL SYLLABLE GA", 0xac00},
		{"HANGUL SYLLABLE HIH", 0xd7a3},
		{"HANGUL SYLLABLE GGWAELG", 0xaf6d},
		{"hangul syllable a", 0xc544},
		{"HANGUL SYLLABLE ", 0},
		{"HANGUL SYLLABLE G", 0},
		{"HANGUL SYLLABLE GAX", 0},
		{"HANGUL SYLLABLE GA ", 0},
		/* named sequences name more than one character */
		{"KEYCAP DIGIT ONE", 0},
		{"LATIN SMALL LETTER R WITH TILDE", 0},
		{"<control>", 0},
		{"NO SUCH CHARACTER", 0},
		{"", 0},
		{" ", 0},
		{"-", 0},
		{" SPACE", 0},
		{"SPACE ", 0},
		{"HEBREW  LETTER ALEF", 0},
		{"HEBREW LETTER", 0},
		{"HEBREW LETTER ALEF ALEF", 0},
		{"HEBREW_LETTER_ALEF", 0},
		{"SN\xc3\x96WMAN", 0},
	};
	for (size_t i = 0; i < VC_LEN(cases); i++) {
		uint32_t cp = 0;
		bool found = yq_uniname(cases[i].name, strlen(cases[i].name), &cp);
		ok(found == (cases[i].cp != 0) && (!found || cp == cases[i].cp), cases[i].name);
	}
}

static void
test_hostile(void)
{
	enum { LONG = 1 << 20 };
	char *s = malloc(LONG), byte[] = "SNOW?MAN";
	uint32_t cp;
	bool any = false;

	memset(s, 'A', LONG);
	for (size_t n = 0; n < 300; n++)
		any |= yq_uniname(s, n, &cp) && n > 0;
	ok(!any && !yq_uniname(s, LONG, &cp), "long words");
	memset(s, ' ', LONG);
	for (size_t n = 0; n < 300; n++)
		any |= yq_uniname(s, n, &cp);
	memset(s, '-', LONG);
	for (size_t n = 0; n < 300; n++)
		any |= yq_uniname(s, n, &cp);
	ok(!any, "many words");
	for (int c = 0; c < 256; c++) {
		byte[4] = (char)c;
		any |= yq_uniname(byte, 8, &cp);
	}
	ok(!any, "any byte in a word");
	ok(!yq_uniname("SNOWMAN\0", 8, &cp) && !yq_uniname("HANGUL SYLLABLE GA\0", 19, &cp),
		"a NUL behind a name");
	free(s);
}

static int
compare_lines(void)
{
	char line[512];
	unsigned names_read = 0, wrong = 0;

	while (fgets(line, sizeof line, stdin)) {
		char *tab = strchr(line, '\t');
		uint32_t cp = 0, want;
		bool found, none = tab && tab[1] == '-';
		if (!tab)
			return 2;
		want = (uint32_t)strtoul(tab + 1, NULL, 16);
		found = yq_uniname(line, (size_t)(tab - line), &cp);
		names_read++;
		if ((found != !none || (found && cp != want)) && wrong++ < 10)
			printf("# %.*s: %x, not %s", (int)(tab - line), line, (unsigned)cp,
				tab + 1);
	}
	printf("%u names, %u wrong\n", names_read, wrong);
	return wrong > 0;
}

int
main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "-") == 0)
		return compare_lines();
	test_names();
	test_hostile();
	printf("1..%d\n", tests);
	return failures > 0;
}
