/**
 * Sends mail through Resend, or leaves it in the development outbox when no key is set. Codes and links are in the body, so a body is never logged.
 * In production there is no outbox: with mail switched off, sending is refused.
 */

import { addToOutbox } from '../db/outbox.ts'
import type { DatabaseBindings } from '../db/shards.ts'
import type { Settings } from '../env.ts'

/** `body` says in plain text what `html` shows. */
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
  // The answer may repeat the address, and have no end; the status says enough.
  await response.body?.cancel()
  if (!response.ok) throw new MailError(`the mail company answered ${response.status}`)
}
