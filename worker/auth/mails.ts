/** The contents of our mails, as text and as HTML. */
import { cleanName, nameInMail } from '../contract/names.ts'
import { type MailText, mailPage } from './mail-page.ts'
import type { Mail } from './mailer.ts'

const ignore = 'If you did not request this email, ignore it. Nobody can log in without it.'

const mailOf = (to: string, content: MailText & { readonly subject: string }): Mail => {
  const { subject, title, lines, code, action, note } = content
  const parts = [title, ...lines, ...(action ? [`${action.label}:\n${action.link}`] : []), ...(code ? [`Your code is ${code}`] : []), note]
  return { to, subject: cleanName(subject), body: `${parts.join('\n\n')}\n`, html: mailPage(content) }
}

export const codeMail = (to: string, code: string): Mail =>
  mailOf(to, {
    subject: 'Your sign-in code',
    title: 'Log in to Parley',
    lines: ['Enter this code where Parley asks for it. It works once, for five minutes.'],
    code,
    note: ignore,
  })

/** For a user who is signed in with this address. Only account deletion asks a signed-in user for a code. */
export const confirmationMail = (to: string, code: string): Mail =>
  mailOf(to, {
    subject: 'Your code to delete your account',
    title: "Confirm it's you",
    lines: [
      'A user who is logged in with this address wants to delete the account. To confirm, enter this code where Parley asks for it.',
      'It works once, for five minutes.',
    ],
    code,
    note: "If this wasn't you, don't share the code, and revoke unknown sessions in Settings.",
  })

export const linkMail = (to: string, link: string, code: string): Mail =>
  mailOf(to, {
    subject: 'Your magic link',
    title: 'Log in to Parley',
    lines: [
      'Open this link in the browser where you requested it and select Log in, or enter the code below. Each works once, for five minutes.',
    ],
    action: { label: 'Log in', link },
    code,
    note: ignore,
  })

type Inviter = { readonly name: string; readonly email: string }

/** The proven address, preceded by the name if it is not the default name. */
function nameOf({ name, email }: Inviter): string {
  const own = name.trim()
  return own === '' || own === email.split('@')[0] ? email : `${nameInMail(own)} (${email})`
}

export function invitationMail(to: string, inviter: Inviter, organizationName: string, link: string): Mail {
  const organization = nameInMail(organizationName)
  return mailOf(to, {
    subject: `Join ${organization} on Parley`,
    title: `You are invited to ${organization}`,
    lines: [`${nameOf(inviter)} invites you to join ${organization} on Parley. Log in with this address to accept.`],
    action: { label: 'See the invitation', link },
    note: "If you don't know the sender, ignore this email.",
  })
}
