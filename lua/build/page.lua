-- Puts the form library into the page, and tells what the page may run:
-- lua5.4 lua/build/page.lua PAGE.html OUT.html OUT.csp [LIBRARY.js]
-- A style that is empty is allowed too: the library makes one and adds rules to it.
package.path = arg[0]:gsub("[^/]*$", "?.lua;") .. package.path
local sha256 = require("sha256")
local function read(path)
	local f = assert(io.open(path, "rb"))
	local text = f:read("a")
	f:close()
	return text
end
local function write(path, text)
	local f = assert(io.open(path, "wb"))
	assert(f:write(text))
	f:close()
end
local page = read(arg[1])
-- An HTML parser knows no JavaScript: the script must not seem to end before it does.
local script = arg[4] and "<script>\n" .. read(arg[4]):gsub("</([sS][cC][rR][iI][pP][tT])", "<\\/%1"):gsub("<!%-%-", "<\\!--") .. "\n</script>" or ""
local from, to = page:find("<!--LIBRARY-->", 1, true)
if from then
	page = page:sub(1, from - 1) .. script .. page:sub(to + 1)
end
local function hashes(tag)
	local list = {}
	for body in page:gmatch("<" .. tag .. ">(.-)</" .. tag .. ">") do
		list[#list + 1] = "'sha256-" .. sha256(body) .. "'"
	end
	return table.concat(list, " ")
end
-- A page that is a file has its policy in itself; it needs nothing but its own script and style.
-- Each binary carries it: without the blanks at the beginning of its lines, lines that are a comment, and empty ones.
if page:find("@CSP@", 1, true) then
	page = page:gsub("\n[ \t]+", "\n"):gsub("\n/%*[^\n]-%*/%f[\n]", ""):gsub("\n//[^\n]*", ""):gsub("\n\n+", "\n")
end
from, to = page:find("@CSP@", 1, true)
if from then
	page = page:sub(1, from - 1) .. "default-src 'none'; script-src " .. hashes("script") .. "; style-src " .. hashes("style") ..
		"; base-uri 'none'; form-action 'none'" .. page:sub(to + 1)
end
write(arg[2], page)
write(arg[3], "default-src 'none'; script-src " .. hashes("script") .. "; style-src " .. hashes("style") .. " 'sha256-" .. sha256("") ..
	"'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
