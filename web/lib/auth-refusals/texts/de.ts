import type { Translation } from '../../i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  INVALID_OTP: 'Falscher Code. Sieh in die neueste E-Mail oder fordere einen neuen Code an.',
  OTP_EXPIRED: 'Dieser Code ist abgelaufen. Fordere einen neuen an.',
  TOO_MANY_ATTEMPTS: 'Dieser Code wurde zu oft eingegeben. Fordere einen neuen an.',
  INVALID_TOKEN: 'Dieser Link ist abgelaufen oder wurde schon verwendet. Fordere einen neuen an.',
  INVALID_EMAIL: 'Gib eine gültige E-Mail-Adresse ein.',
  INVALID_NAME: 'Gib einen Namen mit bis zu 32 Zeichen und ohne Link ein.',
  INVALID_IMAGE: 'Ein Profilbild muss eine https-Adresse sein.',
  MAIL_NOT_SENT: 'Die E-Mail konnte nicht gesendet werden. Versuche es gleich noch einmal.',
  SESSION_NOT_FRESH: 'Bestätige zuerst, dass du es bist: Melde dich neu an und lösche dann das Konto.',
  SESSION_EXPIRED: 'Deine Sitzung ist beendet. Melde dich wieder an.',
  UNAUTHORIZED: 'Du bist abgemeldet. Melde dich wieder an.',
  INVALID_ORIGIN: 'Diese Anfrage kam von einer anderen Seite und wurde abgelehnt.',
  INVALID_CALLBACK_URL: 'Diese Adresse gehört zu einer anderen Seite und wurde abgelehnt.',
  RATE_LIMITED: 'Zu viele Versuche. Warte einen Moment und versuche es noch einmal.',
  OWNER_REMOVED_BY_OWNER: 'Nur ein anderer Inhaber kann einen Inhaber entfernen.',
  NOT_MOVED:
    'Deine Threads konnten nicht in das Konto übernommen werden, deshalb wurdest du nicht angemeldet. Es ging nichts verloren. Versuche es noch einmal.',
  ACCOUNT_FULL:
    'Der Speicher des Kontos ist voll, deshalb können die Gast-Threads nicht übernommen werden. Du bist weiter als Gast hier, und es ging nichts verloren. Schaffe im Konto von einem anderen Browser aus Platz, oder lösche die Daten des Gasts in den Einstellungen, und melde dich wieder an.',
  ACCOUNT_BEING_DELETED: 'Dieses Konto wird gerade gelöscht. In ein paar Minuten kannst du mit dieser Adresse ein neues anlegen.',
  access_denied: 'Die Anmeldung wurde abgebrochen.',
  account_not_linked: 'Ein Konto mit dieser Adresse gibt es schon. Melde dich per E-Mail an.',
  email_not_found: 'Der Anbieter hat keine E-Mail-Adresse gesendet. Melde dich per E-Mail an.',
  login_expired: 'Die Anmeldung hat zu lange gedauert oder wurde in einem anderen Browser begonnen. Versuche es noch einmal.',
  login_failed: 'Die Anmeldung ist fehlgeschlagen. Versuche es noch einmal.',
  conflict: 'Das wurde inzwischen geändert. Prüfe es und versuche es noch einmal.',
  slug_taken: 'Eine andere Organisation hat diesen Kurznamen. Wähle einen anderen.',
  organization_limit: 'Du hast die Höchstzahl an Organisationen erreicht.',
  already_member: 'Diese Person ist schon Mitglied.',
  already_invited: 'Diese Adresse ist schon eingeladen. Sende die Einladung aus der Liste unten erneut.',
  invitation_limit: 'Es sind zu viele Einladungen offen. Zieh zuerst eine zurück.',
  member_limit: 'Die Organisation hat die Höchstzahl an Mitgliedern erreicht.',
  only_owner: 'Du bist der einzige Inhaber. Mach zuerst ein anderes Mitglied zum Inhaber oder lösche die Organisation.',
  invitation_closed: 'Diese Einladung ist nicht mehr offen.',
  team_limit: 'Die Organisation hat die Höchstzahl an Teams erreicht.',
  last_owner_of:
    'Du bist der einzige Inhaber von {organization}. Mach ein anderes Mitglied zum Inhaber oder lösche die Organisation und versuche es dann noch einmal.',
}
