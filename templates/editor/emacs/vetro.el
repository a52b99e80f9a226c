;;; vetro.el --- vetro lsp in Emacs, through eglot  -*- lexical-binding: t; -*-

;; Emacs from 29 on has eglot; before that it is a package.  Load this file from your init file:
;;   (load "/usr/share/vetro/editor/emacs/vetro.el")
;; Then M-x eglot in a YAML file starts the server.

;;; Code:

(require 'eglot)

(defcustom vetro-command '("vetro" "lsp")
  "How `vetro lsp' is started."
  :type '(repeat string)
  :group 'eglot)

(define-derived-mode vetro-yay-mode prog-mode "Yay"
  "Mode for Yay configurations."
  (setq-local comment-start "# ")
  (setq-local indent-tabs-mode nil))

(add-to-list 'auto-mode-alist '("\\.yay\\'" . vetro-yay-mode))

(dolist (mode '(yaml-mode yaml-ts-mode vetro-yay-mode))
  (add-to-list 'eglot-server-programs
               (cons mode (lambda (&rest _) vetro-command))))

(provide 'vetro)
;;; vetro.el ends here
