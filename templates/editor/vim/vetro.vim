" Vim with the plugin vim-lsp (prabirshrestha/vim-lsp): put this file into ~/.vim/plugin/.

autocmd BufNewFile,BufRead *.yay setfiletype yay

if executable('vetro')
  augroup vetro_lsp
    autocmd!
    autocmd User lsp_setup call lsp#register_server({
          \ 'name': 'vetro',
          \ 'cmd': {server_info -> get(g:, 'vetro_command', ['vetro', 'lsp'])},
          \ 'root_uri': {server_info -> lsp#utils#path_to_uri(
          \   lsp#utils#find_nearest_parent_file_directory(
          \     lsp#utils#get_buffer_path(), ['.git/', 'manifest.yaml']))},
          \ 'allowlist': ['yaml', 'yay'],
          \ })
  augroup END
endif
