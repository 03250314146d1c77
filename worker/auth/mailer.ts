/**
 * Sends mail through Resend, or stores it in the development outbox if no key is set. Bodies contain codes and links and are never logged.
 * Production has no outbox: without a provider, sending is refused.
 */

import { addToOutbox } from '../db/mail-outbox.ts'
import type { DatabaseBindings } from '../db/shards.ts'
import type { Settings } from '../settings.ts'

/** `body`: the plain text of `html`. */
export type Mail = { readonly to: string; readonly subject: string; readonly body: string; readonly html: string }
export type Mailer = (mail: Mail) => Promise<void>

export class MailError extends Error {
  override name = 'MailError'
}

const sendTimeoutMs = 10_000

export function createMailer(env: DatabaseBindings, settings: Settings): Mailer {
  const { mail } = settings
  if (mail) return (message) => sendThroughResend(mail, message)
  if (settings.environment === 'development') return (message) => addToOutbox(env, message, Date.now())
  return () => Promise.reject(new MailError('mail is switched off by DISABLED_FEATURES'))
}

async function sendThroughResend({ apiKey, url, from }: NonNullable<Settings['mail']>, { to, subject, body, html }: Mail): Promise<void> {
  const response = await fetch(`${url}/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ from, to: [to], subject, text: body, html }),
    signal: AbortSignal.timeout(sendTimeoutMs),
  })
  // The response is not read: it may repeat the address or never end, and the status is sufficient.
  await response.body?.cancel()
  if (!response.ok) throw new MailError(`the mail provider answered ${response.status}`)
}
