-- Prose of generated pages in lines of at most 100 columns: dofile(...)(TEXT) -> TEXT. Code between ` ` is not cut.
local WIDTH = 100

local function words(text)
	local t, word, pos = {}, "", 1
	while pos <= #text do
		local blank = text:match("^%s+", pos)
		if blank then
			if word ~= "" then t[#t + 1], word = word, "" end
			pos = pos + #blank
		else
			local piece = text:match("^`[^`]*`", pos) or text:match("^.[^%s`]*", pos)
			word, pos = word .. piece, pos + #piece
		end
	end
	if word ~= "" then t[#t + 1] = word end
	return t
end

-- A word that would begin a list or a heading does not begin a line.
local function may_begin(word)
	return not (word:match("^[-+*#>|]+$") or word:match("^%d+[.)]$"))
end

return function(text)
	local lines, line = {}, nil
	for _, word in ipairs(words(text)) do
		if line == nil then
			line = word
		elseif utf8.len(line) + 1 + utf8.len(word) > WIDTH and may_begin(word) then
			lines[#lines + 1], line = line, word
		else
			line = line .. " " .. word
		end
	end
	lines[#lines + 1] = line
	return table.concat(lines, "\n")
end
