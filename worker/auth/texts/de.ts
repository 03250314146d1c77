import type { en } from './en.ts'

export const de: { readonly [key in keyof typeof en]: string } = {
  yourCode: 'Dein Code ist {code}',
  codeSubject: 'Dein Anmeldecode',
  logInTitle: 'Bei Parley anmelden',
  enterCode: 'Gib diesen Code ein, wo Parley danach fragt. Er gilt einmal, fünf Minuten lang.',
  ignore: 'Wenn du diese E-Mail nicht angefordert hast, ignoriere sie. Ohne sie kann sich niemand anmelden.',
  deletionSubject: 'Dein Code zum Löschen deines Kontos',
  deletionTitle: 'Bestätige, dass du es bist',
  deletionReason:
    'Jemand, der mit dieser Adresse angemeldet ist, will das Konto löschen. Gib zur Bestätigung diesen Code ein, wo Parley danach fragt.',
  codeLife: 'Er gilt einmal, fünf Minuten lang.',
  deletionNote: 'Wenn du das nicht warst, gib den Code nicht weiter und beende unbekannte Sitzungen in den Einstellungen.',
  linkSubject: 'Dein Magic Link',
  openLink:
    'Gib diesen Code ein, wo Parley danach fragt, oder öffne den Link in dem Browser, in dem du ihn angefordert hast. Beide gelten einmal, fünf Minuten lang.',
  logIn: 'Anmelden',
  buttonTrouble: 'Wenn der Knopf nicht geht, öffne diese Adresse:',
  invitationSubject: 'Tritt {organization} auf Parley bei',
  invitationTitle: 'Du bist zu {organization} eingeladen',
  invitation: '{inviter} lädt dich ein, {organization} auf Parley beizutreten. Melde dich mit dieser Adresse an, um anzunehmen.',
  seeInvitation: 'Einladung ansehen',
  ignoreInvitation: 'Wenn du den Absender nicht kennst, ignoriere diese E-Mail.',
}
