/* events.c - the floor under reading YAML: how long libyaml takes for the events of a file alone:
 * events FILE */
#include <stdio.h>
#include <yaml.h>

int
main(int argc, char **argv)
{
	yaml_parser_t parser;
	yaml_event_t event;
	long n = 0;
	int last = 0;
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;

	if (!f || !yaml_parser_initialize(&parser))
		return 2;
	yaml_parser_set_input_file(&parser, f);
	for (; !last; n++) {
		if (!yaml_parser_parse(&parser, &event))
			return 1;
		last = event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	fclose(f);
	printf("%ld\n", n);
	return 0;
}
