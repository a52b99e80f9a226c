-- Puts the form library into the page: lua5.4 lua/build/page.lua PAGE.html [LIBRARY.js]
local function read(path)
	local f = assert(io.open(path, "rb"))
	local text = f:read("a")
	f:close()
	return text
end
local page = read(arg[1])
-- An HTML parser knows no JavaScript: the script must not seem to end before it does.
local script = arg[2] and "<script>\n" .. read(arg[2]):gsub("</([sS][cC][rR][iI][pP][tT])", "<\\/%1"):gsub("<!%-%-", "<\\!--") .. "\n</script>" or ""
local from, to = page:find("<!--LIBRARY-->", 1, true)
io.write(page:sub(1, from - 1), script, page:sub(to + 1))
