// Starts `vetro lsp` for YAML files and for Yay.
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

function activate() {
  const settings = vscode.workspace.getConfiguration('vetro');
  const [command, ...args] = settings.get('command');

  client = new LanguageClient('vetro', 'vetro', { command, args }, {
    documentSelector: [
      { scheme: 'file', language: 'yaml' },
      { scheme: 'file', language: 'yay' },
    ],
    initializationOptions: { search: settings.get('search') },
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher('**/*.{yaml,yml,yay}') },
  });
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
