/** The words of our mails. */
import type { Mail } from './mailer.ts'

export const codeMail = (to: string, code: string): Mail => ({
  to,
  subject: 'Your sign-in code',
  body: `Your code for Parley is ${code}\n\nIt works for five minutes and once. If you did not ask for it, ignore this mail.`,
})

export const linkMail = (to: string, link: string): Mail => ({
  to,
  subject: 'Your magic link',
  body: `Log in to Parley:\n${link}\n\nThe link works for five minutes and once. If you did not ask for it, ignore this mail.`,
})

export const invitationMail = (to: string, organizationName: string, link: string): Mail => ({
  to,
  subject: `Join ${organizationName} on Parley`,
  body: `You are invited to ${organizationName} on Parley. Log in with this address to accept:\n${link}`,
})
