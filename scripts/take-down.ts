// `npm run take-down -- URL|ID [--remote]`: revokes a shared link for the operator, as its owner would. The page and its files look at once as if
// they had never existed. Without `--remote` it changes the local data in STATE_DIR.
import { shareIdSchema } from '../worker/contract/ids.ts'
import { fail } from './lib/console.ts'
import { databaseNames, placeOf, query } from './lib/d1.ts'

/** The id of a link, or of its address. Its characters need no quoting in SQL. */
export function shareIdIn(text: string): string {
  const last = /^https?:\/\//.test(text) ? /^\/share\/([^/]+)(?:\/|$)/.exec(new URL(text).pathname)?.[1] : text
  const id = shareIdSchema.safeParse(last)
  if (!id.success) throw new Error('name the link as https://…/share/ID, or by its id of 21 letters, digits, - and _')
  return id.data
}

async function takeDown() {
  const [named, ...others] = process.argv.slice(2).filter((arg) => arg !== '--remote')
  if (named === undefined || others.length > 0) throw new Error('use: npm run take-down -- URL|ID [--remote]')
  const id = shareIdIn(named)
  const place = placeOf(process.argv.includes('--remote'))
  for (const database of databaseNames(place)) {
    const [share] = await query(place, database, `select userId, threadId, revokedAt from share where id = '${id}'`)
    if (!share) continue
    const { userId, threadId, revokedAt } = share
    if (revokedAt !== null) {
      console.log(`Parley: the link ${id} was revoked at ${new Date(Number(revokedAt)).toISOString()} already.`)
      return
    }
    // The row change of `shares.revoke`. Triggers write the feed, so the pages of the owner remove the link from their lists.
    await query(place, database, `update share set revokedAt = ${Date.now()} where id = '${id}' and revokedAt is null`)
    console.log(`Parley: took down the link ${id} in the database ${database}. It showed the thread ${threadId} of the user ${userId}.`)
    console.log('Copies that visitors have made stay in their threads. The owner can share the thread again, under another address.')
    return
  }
  throw new Error(`no database has the link ${id}. It may have been revoked or have expired more than a day ago`)
}

if (import.meta.main) await takeDown().catch(fail('Parley: nothing was taken down'))
