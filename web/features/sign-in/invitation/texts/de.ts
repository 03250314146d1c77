import type { Translation } from '../../../../lib/i18n/text-catalogue.ts'
import type { en } from './en.ts'

export const de: Translation<typeof en> = {
  invitation: 'Einladung',
  notLoaded: 'Die Einladung konnte nicht geladen werden. Prüfe deine Verbindung und versuche es noch einmal.',
  reload: 'Neu laden',
  join: '{organization} beitreten',
  invites: '{inviter} lädt dich ein.',
  logInWithAddress: 'Melde dich mit der Adresse an, an die die Einladung ging.',
  logIn: 'Anmelden',
  invitesYou: '{inviter} lädt dich zu <b>{organization}</b> ein, als {role}. Die Mitglieder sehen deinen Namen und deine E-Mail-Adresse.',
  owner: 'Inhaber',
  admin: 'Admin',
  member: 'Mitglied',
  accept: 'Annehmen',
  decline: 'Ablehnen',
  joined: 'Du bist jetzt Mitglied von {organization}',
  declined: 'Einladung abgelehnt',
  isMember: 'Du bist Mitglied von {organization}',
  notNeeded: 'Du brauchst diese Einladung nicht mehr.',
  openOrganization: 'Organisation öffnen',
  closed: 'Diese Einladung ist nicht mehr offen',
  closedReason: 'Sie wurde beantwortet, zurückgezogen oder ist älter als eine Woche. Bitte um eine neue.',
  closedReasonLoggedOut:
    'Sie wurde beantwortet, zurückgezogen oder ist älter als eine Woche. Hast du sie angenommen, melde dich an, um die Organisation zu öffnen. Sonst bitte um eine neue.',
  yourOrganizations: 'Deine Organisationen',
  otherAddress:
    'Diese Einladung ging an eine andere Adresse. Du bist als <b>{email}</b> angemeldet. Melde dich mit der Adresse der Einladung an.',
  logInOther: 'Mit anderem Konto anmelden',
  logoutFailed: 'Du konntest nicht abgemeldet werden. Prüfe deine Verbindung und versuche es noch einmal.',
}
