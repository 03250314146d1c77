/** GET /api/outbox: mail of a development without a mail company, as a page for browsers and as JSON for programs. Whoever can reach such a server may read it; in production it does not exist. */
import { readOutbox } from '../db/outbox.ts'
import { outboxPage } from '../page/outbox-page.ts'
import { type AppContext, refuseWith } from './http.ts'

export async function handleOutbox(c: AppContext): Promise<Response> {
  const { environment, mail } = c.var.settings
  if (environment !== 'development' || mail !== null) return refuseWith(c, 'not_found')
  const mails = await readOutbox(c.env)
  const wantsPage = c.req.header('accept')?.includes('text/html') === true
  return wantsPage ? c.html(outboxPage(mails)) : c.json({ mails })
}
