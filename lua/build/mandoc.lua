-- The manual pages of libvetro's functions, from the comments of the headers and the examples of manual.txt:
-- lua5.4 lua/build/mandoc.lua pages EXAMPLES OUTDIR HEADER...   writes a page for each function
-- lua5.4 lua/build/mandoc.lua overview PAGE HEADER...           prints libvetro.3 with a new synopsis
-- lua5.4 lua/build/mandoc.lua program EXAMPLES                  prints a C program that runs the examples
-- lua5.4 lua/build/mandoc.lua expected EXAMPLES                 prints what that program prints
local function read(path)
	local file = assert(io.open(path))
	local text = file:read("a")
	file:close()
	return text
end

-- ---- headers

local function comment_text(text)
	text = text:gsub("^/%*", ""):gsub("%*/$", "")
	return (text:gsub("\n[ \t]*%*[ \t]?", " "):gsub("%s+", " "):gsub("^ ", ""):gsub(" $", ""))
end

-- Pieces of a header in their order: comments, declarations and blank lines.
local function pieces(text)
	local at, found = 1, {}
	while at <= #text do
		local from, to = text:find("^[ \t]*/%*.-%*/[ \t]*", at)
		local kind = "comment"
		if not from then
			from, to = text:find("^[ \t]*VETRO_API[^;]*;[ \t]*", at)
			kind = "function"
		end
		if not from then
			from, to = text:find("^[^\n]*\n", at)
			kind = from and text:sub(from, to):find("^%s*$") and "end of line" or "other"
		end
		if not from then break end
		found[#found + 1] = { kind = kind, text = text:sub(from, to) }
		at = to + 1
	end
	return found
end

-- The comment before a function is its text, and that of the functions below it which have none; one behind it on its line
-- is added.
local function functions_of(path)
	local section, comment, made, blank, last = "", nil, {}, 0, nil
	for _, piece in ipairs(pieces(read(path))) do
		if piece.kind == "comment" then
			local heading = piece.text:match("/%* %-%-%-%- (.-) %-+ %*/")
			if heading then
				section, comment = heading, nil
			elseif last and blank == 0 then
				last.text = (last.own and last.text .. " " or "") .. comment_text(piece.text)
				comment = nil
			else
				comment = comment_text(piece.text)
				last, blank = nil, 0
			end
		elseif piece.kind == "function" then
			local declaration = piece.text:gsub("/%*.-%*/", ""):gsub("^%s*VETRO_API%s+", ""):gsub("%s+VETRO_PRINTF%b()", "")
				:gsub("%s+", " "):gsub("%( ", "("):gsub(" $", "")
			local name = assert(declaration:match("(vetro_[%w_]+)%("), declaration)
			last = { name = name, declaration = declaration, text = comment, own = blank == 0, section = section,
				header = path:match("[^/]+$") }
			made[#made + 1] = last
			blank = 0
		elseif piece.kind == "end of line" then
			blank = blank + 1
			if last then blank, last = 1, nil end
		else
			comment, last = nil, nil
		end
	end
	return made
end

-- ---- examples

local function examples_of(path)
	local made, by_name, now = {}, {}, nil
	for line in read(path):gmatch("([^\n]*)\n") do
		local head = line:match("^= (.*)")
		if head then
			now = { names = {}, scope = nil, lines = {}, output = {} }
			local rest = head:gsub("vetro_[%w_]+ ", function(name)
				now.names[#now.names + 1] = name:sub(1, -2)
				return ""
			end)
			local i = 0
			for what in (rest .. "; "):gmatch("(.-); ") do
				i = i + 1
				assert(now.names[i], "more descriptions than names: " .. head)
				assert(not by_name[now.names[i]], "twice: " .. now.names[i])
				by_name[now.names[i]] = { what = what, example = now }
			end
			assert(i == #now.names, "more names than descriptions: " .. head)
			made[#made + 1] = now
		elseif now and line == "--" then
			now.scope, now.lines = now.lines, {}
		elseif now and line:sub(1, 2) == "> " then
			now.output[#now.output + 1] = line:sub(3)
		elseif now then
			now.lines[#now.lines + 1] = line
		end
	end
	for _, example in ipairs(made) do
		while example.lines[#example.lines] == "" do table.remove(example.lines) end
	end
	return made, by_name
end

-- ---- pages

local function escaped(s)
	return (s:gsub("\\", "\\e"):gsub("%-", "\\-"):gsub("^([.'])", "\\&%1"))
end

local SHOW = [[
static void
show(vetro_engine *e, vetro_value v)
{
	char *text = v != NULL ? vetro_to_text(e, v, NULL) : NULL;

	puts(text != NULL ? text : "no value");
	vetro_free_text(text);
	vetro_unref(v);
}]]

local function put_code(out, lines)
	out(".PP\n.in +4n\n.nf\n")
	for _, line in ipairs(lines) do
		out((line:gsub("\t", "    "):gsub("^.*$", escaped)), "\n")
	end
	out(".fi\n.in\n")
end

local function lines_of(text)
	local lines = {}
	for line in (text .. "\n"):gmatch("([^\n]*)\n") do lines[#lines + 1] = line end
	return lines
end

local function put_example(out, example)
	local body = table.concat(example.lines, "\n")
	out(".SH EXAMPLE\nHere\n.I e\nis an engine of\n.BR vetro_engine_new (3)")
	out(body:find("show(", 1, true) and
		", and show() prints a value and releases it, as\n.BR libvetro (3)\nhas it.\n" or ".\n")
	if example.scope then put_code(out, example.scope) end
	put_code(out, example.lines)
	if #example.output > 0 then
		out(".PP\nprints\n")
		put_code(out, example.output)
	end
end

local function put_page(out, f, entry, neighbours)
	out(".\\\" Made from ", f.header, " and manual.txt by `make docs`.\n")
	out(".TH ", f.name:upper(), ' 3 "" "vetro" "Library Functions Manual"\n.SH NAME\n')
	out(f.name, " \\- ", escaped(entry.what), "\n.SH SYNOPSIS\n.nf\n.B #include <", f.header, ">\n.sp\n")
	out('.B "', escaped(f.declaration):gsub('"', '""'), '"\n.fi\n.PP\nLink with `pkg\\-config \\-\\-libs vetro`.\n')
	out(".SH DESCRIPTION\n", escaped(f.text), "\n.PP\n")
	out("What is returned is owned by the caller unless it is called borrowed; arguments are borrowed unless they are taken.\n")
	if f.declaration:find("vetro_error **", 1, true) then
		out("On failure *err, unless err is NULL, is a new error for\n.BR vetro_error_free (3).\n")
	end
	put_example(out, entry.example)
	out(".SH SEE ALSO\n.BR libvetro (3)")
	for _, name in ipairs(neighbours) do
		if name ~= f.name then out(",\n.BR ", name, " (3)") end
	end
	out("\n")
end

local function write_pages(directory, functions, by_name)
	local sections = {}
	for _, f in ipairs(functions) do
		local key = f.header .. f.section
		sections[key] = sections[key] or {}
		table.insert(sections[key], f.name)
	end
	for _, f in ipairs(functions) do
		local entry = assert(by_name[f.name], "no example of " .. f.name .. " in manual.txt")
		assert(f.text and f.text ~= "", "no comment above " .. f.name)
		local file = assert(io.open(directory .. "/" .. f.name .. ".3", "w"))
		put_page(function(...) file:write(...) end, f, entry, sections[f.header .. f.section])
		file:close()
	end
end

-- The synopsis has every function, a line each; the rest is written by hand.
local function write_overview(path, functions)
	local out, header = {}, nil
	for _, f in ipairs(functions) do
		if f.header ~= header then
			out[#out + 1] = ".sp\n.B #include <" .. f.header .. ">\n.sp\n"
			header = f.header
		end
		out[#out + 1] = '.B "' .. escaped(f.declaration):gsub('"', '""') .. '"\n'
	end
	local before, after = read(path):match("^(.-%.SH SYNOPSIS\n)%.nf\n.-(%.fi\n.*)$")
	io.write(assert(before, path), ".nf\n", table.concat(out, "", 1):sub(5), after)
end

-- ---- the program of the test

local function heading(example)
	return "== " .. table.concat(example.names, " ")
end

local function write_program(examples)
	print("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <vetro_host.h>\n\n" .. SHOW)
	for i, example in ipairs(examples) do
		print("\n" .. table.concat(example.scope or {}, "\n"))
		print(("\nstatic void\nexample_%d(vetro_engine *e)\n{\n(void)e;\n%s\n}"):format(i, table.concat(example.lines, "\n")))
	end
	print("\nint\nmain(void)\n{\n\tvetro_engine *e;\n")
	for i, example in ipairs(examples) do
		print(('\tputs("%s");\n\te = vetro_engine_new();\n\texample_%d(e);\n\tvetro_engine_free(e);'):format(heading(example), i))
	end
	print("\treturn 0;\n}")
end

local function write_expected(examples)
	for _, example in ipairs(examples) do
		print(heading(example))
		if #example.output > 0 then print(table.concat(example.output, "\n")) end
	end
end

-- What an example is for stands in it.
local function check(examples)
	for _, example in ipairs(examples) do
		local code = table.concat(example.scope or {}, "\n") .. "\n" .. table.concat(example.lines, "\n") .. SHOW
		for _, name in ipairs(example.names) do
			assert(code:find(name .. "%("), "the example of " .. name .. " does not call it")
		end
	end
end

local function headers(from)
	local functions = {}
	for i = from, #arg do
		table.move(functions_of(arg[i]), 1, 1000, #functions + 1, functions)
	end
	return functions
end

if arg[1] == "overview" then
	write_overview(arg[2], headers(3))
else
	local examples, by_name = examples_of(arg[2])
	check(examples)
	if arg[1] == "pages" then
		write_pages(arg[3], headers(4), by_name)
	elseif arg[1] == "program" then
		write_program(examples)
	else
		write_expected(examples)
	end
end
