/** A shared link of a guest who is linked to an account whose content is in another database, interrupted at every step. */
import { expect, test } from 'vitest'
import { linkGuest } from '../../../worker/db/account-linking.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { readShare } from '../../../worker/db/shares.ts'
import { ensureUserRows } from '../../../worker/db/user-rows.ts'
import { interrupted } from '../../support/interrupted.ts'
import { createNodeD1 } from '../../support/node-d1.ts'
import { insert, messageRow, shareRow, threadRow, userRow } from '../../support/rows.ts'

const nowMs = Date.now()
const [DB, CONTENT_DB_1, CONTENT_DB_2] = [createNodeD1(), createNodeD1(), createNodeD1()]
const env = { DB, CONTENT_DB_1, CONTENT_DB_2 }

const idsIn = async (db: D1Database, id: string) => (await db.prepare('select id from share where id = ?').bind(id).all()).results

test('a shared link has one row that counts, also when the linking was interrupted after its copy', async () => {
  let copies = 0
  for (let step = 0; ; step++) {
    const pair = { guestId: newId(), accountId: `${newId()}-2` }
    const { guestId, accountId } = pair
    await insert(DB, 'user', userRow({ id: guestId, isAnonymous: 1 }))
    await insert(DB, 'user', userRow({ id: accountId }))
    await ensureUserRows(CONTENT_DB_1, guestId, { network: newId(), wide: [] })
    await ensureUserRows(CONTENT_DB_2, accountId)
    const thread = threadRow(guestId)
    const message = messageRow(guestId, String(thread.id), { message: JSON.stringify({ role: 'user', parts: [] }) })
    const share = shareRow(guestId, String(thread.id), String(message.id), { id: newId() })
    await insert(CONTENT_DB_1, 'thread', thread)
    await insert(CONTENT_DB_1, 'message', message)
    await insert(CONTENT_DB_1, 'share', share)
    expect(await readShare(env, String(share.id), nowMs)).toMatchObject({ ownerId: guestId })
    const isInterrupted = await interrupted(Object.values(env), step, () => linkGuest(env, pair, nowMs))
    const { results } = await CONTENT_DB_2.prepare('update share set revokedAt = 1 where userId = ? returning id').bind(accountId).all()
    if (results.length > 0) {
      copies += (await idsIn(CONTENT_DB_1, String(share.id))).length
      expect(await readShare(env, String(share.id), nowMs)).toBeNull()
    }
    if (!isInterrupted) break
  }
  expect(copies).toBeGreaterThan(0)
})
