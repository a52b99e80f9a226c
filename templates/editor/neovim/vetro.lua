-- Neovim from 0.7 on: put this file into ~/.config/nvim/plugin/.
-- It starts `vetro lsp` for YAML files and for Yay. g:vetro_command and g:vetro_options change how.

vim.filetype.add({ extension = { yay = 'yay' } })

local clients = {}

-- One server for each folder that holds a project.
local function root_of(path)
	local markers = vim.fs and vim.fs.find({ '.git', 'manifest.yaml' }, { path = path, upward = true })
	if markers and markers[1] then
		return vim.fs.dirname(markers[1])
	end
	local found = vim.fn.finddir('.git', vim.fn.fnamemodify(path, ':h') .. ';')
	return found ~= '' and vim.fn.fnamemodify(found, ':p:h:h') or vim.fn.fnamemodify(path, ':p:h')
end

local function on_attach(_, buffer)
	local function map(key, action)
		vim.keymap.set('n', key, action, { buffer = buffer })
	end
	vim.bo[buffer].omnifunc = 'v:lua.vim.lsp.omnifunc'
	map('K', vim.lsp.buf.hover)
	map('gd', vim.lsp.buf.definition)
	map('<leader>a', vim.lsp.buf.code_action)
	map('<leader>s', vim.lsp.buf.document_symbol)
	map('<leader>r', vim.lsp.buf.rename)
	map('<leader>f', vim.lsp.buf.format or vim.lsp.buf.formatting_sync)
end

local function attach(event)
	local path = vim.api.nvim_buf_get_name(event.buf)
	local root = root_of(path)
	if path == '' or vim.bo[event.buf].buftype ~= '' then
		return
	end
	if not clients[root] or not vim.lsp.get_client_by_id(clients[root]) then
		clients[root] = vim.lsp.start_client({
			name = 'vetro',
			cmd = vim.g.vetro_command or { 'vetro', 'lsp' },
			init_options = vim.g.vetro_options or vim.empty_dict(),
			root_dir = root,
			workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
			on_attach = on_attach,
		})
	end
	if clients[root] then
		vim.lsp.buf_attach_client(event.buf, clients[root])
	end
end

vim.api.nvim_create_autocmd('FileType', { pattern = { 'yaml', 'yay' }, callback = attach })
