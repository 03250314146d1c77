/**
 * GET /api/outbox: the mails of a development without a mail provider, as a page for browsers and as JSON for programs. It does not exist
 * in production. In development every client of the server can read it.
 */
import { readOutbox } from '../db/mail-outbox.ts'
import { outboxPage } from '../page/mail-outbox-page.ts'
import { type AppContext, refuseWith } from './http.ts'

export async function handleOutbox(c: AppContext): Promise<Response> {
  const { environment, mail } = c.var.settings
  if (environment !== 'development' || mail !== null) return refuseWith(c, 'not_found')
  const mails = await readOutbox(c.env)
  const wantsPage = c.req.header('accept')?.includes('text/html') === true
  return wantsPage ? c.html(outboxPage(mails)) : c.json({ mails })
}
