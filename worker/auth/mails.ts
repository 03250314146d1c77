/** The contents of our mails, as text and as HTML. */
import { parseAccept } from 'hono/utils/accept'
import { type Language, languageFor } from '../contract/languages.ts'
import { cleanName, hasDefaultName, nameInMail } from '../contract/names.ts'
import { translatorOf } from '../lib/translator.ts'
import { type MailText, mailPage } from './mail-page.ts'
import type { Mail } from './mailer.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'

const textIn = translatorOf({ en, de })

/** The language of the page that requested the mail: `authRequest` sends it as `Accept-Language`. */
export function mailLanguage(headers: Headers | undefined): Language {
  const accepted = parseAccept(headers?.get('accept-language') ?? '').map(({ type }) => type)
  return languageFor(null, accepted)
}

const mailOf = (to: string, content: MailText & { readonly subject: string }): Mail => {
  const { language, subject, title, lines, code, action, note } = content
  const sentence = code ? [textIn(language)('yourCode', { code })] : []
  const parts = [title, ...lines, ...(action ? [`${action.label}:\n${action.link}`] : []), ...sentence, note]
  return { to, subject: cleanName(subject), body: `${parts.join('\n\n')}\n`, html: mailPage(content) }
}

export function codeMail(language: Language, to: string, code: string): Mail {
  const text = textIn(language)
  return mailOf(to, {
    ...{ language, code },
    subject: text('codeSubject'),
    title: text('logInTitle'),
    lines: [text('enterCode')],
    note: text('ignore'),
  })
}

/** For a user who is signed in with this address. Only account deletion asks a signed-in user for a code. */
export function confirmationMail(language: Language, to: string, code: string): Mail {
  const text = textIn(language)
  return mailOf(to, {
    ...{ language, code },
    subject: text('deletionSubject'),
    title: text('deletionTitle'),
    lines: [text('deletionReason'), text('codeLife')],
    note: text('deletionNote'),
  })
}

export function linkMail(language: Language, to: string, link: string, code: string): Mail {
  const text = textIn(language)
  return mailOf(to, {
    ...{ language, code },
    subject: text('linkSubject'),
    title: text('logInTitle'),
    lines: [text('openLink')],
    action: { label: text('logIn'), link },
    note: text('ignore'),
  })
}

type Inviter = { readonly name: string; readonly email: string }

/** The proven address, preceded by the name if it is not the default name. */
const nameOf = ({ name, email }: Inviter): string =>
  name.trim() === '' || hasDefaultName({ name, email }) ? email : `${nameInMail(name.trim())} (${email})`

export function invitationMail(language: Language, to: string, inviter: Inviter, organizationName: string, link: string): Mail {
  const text = textIn(language)
  const organization = nameInMail(organizationName)
  return mailOf(to, {
    language,
    subject: text('invitationSubject', { organization }),
    title: text('invitationTitle', { organization }),
    lines: [text('invitation', { inviter: nameOf(inviter), organization })],
    action: { label: text('seeInvitation'), link },
    note: text('ignoreInvitation'),
  })
}
