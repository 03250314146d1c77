/** GET /api/outbox: mail of a development without a mail company. Whoever can reach such a server may read it; in production it does not exist. */
import { readOutbox } from '../db/outbox.ts'
import { type AppContext, refuseWith } from './http.ts'

export async function handleOutbox(c: AppContext): Promise<Response> {
  const { environment, mail } = c.var.settings
  if (environment !== 'development' || mail !== null) return refuseWith(c, 'not_found')
  return c.json({ mails: await readOutbox(c.env) }, 200, { 'cache-control': 'no-store' })
}
