import type { Translation } from '../../i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  failsHeaders: 'Gib bis zu {max, number} Header ein, jeden mit Name und Wert.',
  failsLimit: 'Das Limit von {max, number} Servern ist erreicht. Entferne zuerst einen.',
  failsAddress: 'Gib die https-Adresse eines öffentlichen Servers ein.',
  failsUnreachable: 'Der Server ist nicht erreichbar. Prüfe die Adresse.',
  failsTimeout: 'Der Server hat zu lange nicht geantwortet. Versuche es später noch einmal.',
  failsRefused: 'Der Server verlangt eine Anmeldung oder einen Header mit einem Schlüssel.',
  failsScopes: 'Der Server verlangt mehr Rechte, als du ihm gegeben hast. Melde dich neu an, um sie zu sehen und zu erteilen.',
  failsRedirects: 'Der Server leitet an eine andere Adresse weiter. Gib stattdessen diese Adresse ein.',
  failsTooLarge: 'Der Server hat zu viele Daten gesendet.',
  failsUnreadable: 'Der Server hat etwas gesendet, das nicht gelesen werden konnte.',
  failsNoServer: 'An dieser Adresse antwortet kein MCP-Server.',
  failsError: 'Der Server hat einen Fehler gemeldet. Versuche es später noch einmal.',
  failsBusy: 'Der Server ist überlastet. Versuche es in einer Minute noch einmal.',
  failsNoLogin: 'Dieser Server bietet keine Anmeldung, die hier funktioniert. Wenn er API-Schlüssel hat, gib einen als Header ein.',
  failsLogin: 'Die Anmeldung wurde abgelehnt oder ist fehlgeschlagen.',
}
