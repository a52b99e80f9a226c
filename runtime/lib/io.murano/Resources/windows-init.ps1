#ps1
# cloudbase-init runs this at the first boot of an image made for murano. CoreFunctions is a module of the image.
$agentConfig = 'C:\Murano\Agent\WindowsAgent.exe.config'
$agentLog = 'C:\Murano\Agent\log.txt'
$certificateFile = 'C:\Murano\ca.cert'
$agentConfigBase64 = '%AGENT_CONFIG_BASE64%'
$certificateBase64 = '%CA_ROOT_CERT_BASE64%'
$hostName = '%INTERNAL_HOSTNAME%'
$fileShare = '\\%MURANO_SERVER_ADDRESS%\share'

Import-Module CoreFunctions
Initialize-Logger 'CloudBase-Init' 'C:\Murano\PowerShell.log'
$ErrorActionPreference = 'Stop'
trap {
    Write-LogError $_ -EntireObject
    exit 1
}

if ($certificateBase64) {
    Write-Log 'Trusting the CA certificate'
    ConvertFrom-Base64String -Base64String $certificateBase64 -Path $certificateFile
    $certificate = New-Object System.Security.Cryptography.X509Certificates.X509Certificate2 $certificateFile
    $store = New-Object System.Security.Cryptography.X509Certificates.X509Store('AuthRoot', 'LocalMachine')
    $store.Open('MaxAllowed')
    $store.Add($certificate)
    $store.Close()
}

Write-Log 'Giving the agent its settings'
Stop-Service 'Murano Agent'
Backup-File $agentConfig
Remove-Item $agentConfig, $agentLog -Force -ErrorAction SilentlyContinue
ConvertFrom-Base64String -Base64String $agentConfigBase64 -Path $agentConfig
# Delayed, so that it does not start before a restart that renames the machine.
Exec sc.exe 'config', '"Murano Agent"', 'start=', 'delayed-auto'

Write-Log "MuranoFileShare is $fileShare"
[Environment]::SetEnvironmentVariable('MuranoFileShare', $fileShare, 'Machine')

# Renaming a machine to the name that it has fails.
if ((hostname) -ne $hostName) {
    Write-Log "Renaming the machine to $hostName and restarting it"
    $null = Rename-Computer -NewName $hostName -Force
    Restart-Computer -Force
}
else {
    Start-Service 'Murano Agent'
}
