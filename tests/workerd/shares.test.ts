// Shared links: when their page is gone, the list of the owner, limits and cleanup.
import { describe, expect, test } from 'vitest'
import { maxForkMessages, maxShareChars, maxShares, sharesPerDay } from '../../worker/contract/limits.ts'
import { purgeMessages, purgeShares } from '../../worker/db/cleanup.ts'
import { newId } from '../../worker/db/new-id.ts'
import { insert, insertStatement, memberRow, messageRow, organizationRow, shareRow } from '../support/rows.ts'
import { guest } from './auth/browser.ts'
import { newTestUser, type TestUser } from './authorization/scene.ts'
import { content, env } from './bindings.ts'
import { code, get, given, givenThread, link, reconnect, setSharedThread, shareIt, statusOf, text } from './shared-thread.ts'
import { connected } from './sync-wire.ts'

setSharedThread()

const dayMs = 24 * 60 * 60 * 1000
const mine = { hash: 'mine', name: 'shares.mine', args: [] }

describe('a page is gone', () => {
  const run = (sql: string, ...values: (string | number)[]) =>
    content
      .prepare(sql)
      .bind(...values)
      .run()
  const ends: { readonly [reason: string]: (id: string) => Promise<unknown> } = {
    'after it was revoked': (id) => code('shares.revoke', { id }),
    'after it expired': (id) => run('update share set expiresAt = ? where id = ?', Date.now(), id),
    'with its thread': () => code('threads.delete', { threadIds: [given.threadId], at: 1 }),
    'with a message above it': () => run('update message set deletedAt = 5 where id = ?', given.questionId),
    'with its message': () => run('update message set deletedAt = 5 where id = ?', given.answerId),
    'while the account is being deleted': () => run('insert into accountDeletion (userId, startedAt) values (?, 1)', given.owner.userId),
    'if the message is of another user': async (id) => {
      const other = await guest()
      await run('update share set userId = ? where id = ?', other.userId, id)
    },
  }
  const comparable = async (response: Response) => ({
    status: response.status,
    headers: [...response.headers].filter(([name]) => name !== 'x-request-id'),
    text: await response.text(),
  })
  test.each(Object.entries(ends))('%s, and looks as one that never was', async (_reason, end) => {
    const id = await shareIt()
    expect(await statusOf(id)).toBe(200)
    await end(id)
    const revoked = await comparable(await get(`/share/${id}`))
    expect(revoked.status).toBe(404)
    for (const absent of [newId(), 'x', `${newId()}x`, '%00', given.owner.userId, given.threadId])
      expect(await comparable(await get(`/share/${absent}`))).toEqual(revoked)
    expect(await comparable(await get(`/share/${id}/files/0`))).toEqual(revoked)
    const { browser } = await guest()
    const copy = (share: string) => browser.call(`/api/shares/${share}/copy`, { body: { threadId: newId() } })
    expect(await comparable(await copy(id))).toEqual(await comparable(await copy(newId())))
  })

  test('while an organization of the owner has switched sharing off; the mutator is refused', async () => {
    const id = await shareIt()
    const organizationId = newId()
    await insert(env.DB, 'organization', organizationRow({ id: organizationId }))
    await insert(env.DB, 'member', memberRow(organizationId, given.owner.userId))
    expect(await statusOf(id)).toBe(200)
    await env.DB.prepare('update organization set isSharingOff = 1 where id = ?').bind(organizationId).run()
    expect(await statusOf(id)).toBe(404)
    await reconnect()
    expect(await code('shares.create', link())).toBe('sharing_off')
    await env.DB.prepare('update organization set isSharingOff = 0 where id = ?').bind(organizationId).run()
    expect(await statusOf(id)).toBe(200)
  })

  test('after an owner of an organization has switched sharing off; a member cannot switch it', async () => {
    const [admin, fellow] = [await newTestUser(true), await newTestUser(true)]
    const { browser } = admin
    const slug = newId()
      .toLowerCase()
      .replace(/[^a-z0-9]/g, 'x')
    const { id: organizationId } = await browser.json<{ id: string }>('/api/auth/organization/create', { body: { name: 'Tea', slug } })
    await insert(env.DB, 'member', memberRow(organizationId, fellow.userId))
    const change = (by: TestUser, isSharingOff: unknown) =>
      by.browser.call('/api/auth/organization/update', { body: { organizationId, data: { isSharingOff } } })
    const stored = () => env.DB.prepare('select isSharingOff from organization where id = ?').bind(organizationId).first('isSharingOff')
    expect((await change(fellow, true)).status).toBe(403)
    expect((await change(admin, 'yes')).status).toBe(400)
    expect(await stored()).toBeNull()
    expect((await change(admin, true)).status).toBe(200)
    expect(await stored()).toBe(1)
    expect((await change(admin, false)).status).toBe(200)
    expect(await stored()).toBe(0)
  })

  test('undoing the deletion of a thread brings its page back; a revoked link stays gone', async () => {
    const [kept, revoked] = [await shareIt(), await shareIt()]
    expect(await code('shares.revoke', { id: revoked })).toBeUndefined()
    expect(await code('threads.delete', { threadIds: [given.threadId], at: 1 })).toBeUndefined()
    expect(await code('threads.restore', { threadIds: [given.threadId] })).toBeUndefined()
    expect([await statusOf(kept), await statusOf(revoked)]).toEqual([200, 404])
  })
})

describe('links', () => {
  test('are listed newest first, and a revoked one leaves the list', async () => {
    const [first, second] = [await shareIt(), await shareIt({ lifetime: 'day' })]
    const other = await connected(given.owner, { queries: [mine] })
    expect(
      other
        .rowsOf('share')
        .map(({ id }) => id)
        .sort(),
    ).toEqual([first, second].sort())
    const expiresAt = (other.rowsOf('share').find(({ id }) => id === second)?.expiresAt ?? 0) as number
    expect(Math.abs(expiresAt - Date.now() - dayMs)).toBeLessThan(60_000)
    expect(await code('shares.revoke', { id: first })).toBeUndefined()
    await expect.poll(() => other.rowsOf('share').map(({ id }) => id)).toEqual([second])
    await other.close()
  })

  test('get an id from the server, so no other user can take over the address of an ended link', async () => {
    const id = await shareIt()
    await content.prepare('delete from share where id = ?').bind(id).run()
    expect(await code('shares.create', { ...link(), id })).toBeUndefined()
    expect(await statusOf(id)).toBe(404)
  })

  test('are refused for a long thread', async () => {
    await givenThread([text('a')], [text('x'.repeat(maxShareChars))])
    expect(await code('shares.create', link())).toBe('share_too_long')
    await givenThread([text('a')], [text('b')])
    const path = Array.from({ length: maxForkMessages }, () => newId())
    await content.batch(
      path.map((messageId, i) =>
        insertStatement(
          content,
          'message',
          messageRow(given.owner.userId, given.threadId, { id: messageId, parentId: path[i - 1] ?? given.answerId }),
        ),
      ),
    )
    await reconnect()
    expect(await code('shares.create', link({ messageId: path.at(-1) }))).toBe('share_too_long')
  })

  const many = (count: number, createdAt: number) =>
    content.batch(
      Array.from({ length: count }, () =>
        insertStatement(content, 'share', shareRow(given.owner.userId, given.threadId, given.answerId, { createdAt })),
      ),
    )
  test('are limited per day, also if they were revoked', async () => {
    await many(sharesPerDay, Date.now())
    await content.prepare('update share set revokedAt = 1 where userId = ?').bind(given.owner.userId).run()
    await reconnect()
    expect(await code('shares.create', link())).toBe('shares_too_often')
    await expect(
      insert(content, 'share', shareRow(given.owner.userId, given.threadId, given.answerId, { createdAt: Date.now() })),
    ).rejects.toThrow('shares_too_often')
  })

  test('are limited in total', async () => {
    for (let i = 0; i < maxShares / sharesPerDay; i++) await many(sharesPerDay, i * 2 * dayMs)
    const expire = (expiresAt: number | null) =>
      content.prepare('update share set expiresAt = ? where userId = ?').bind(expiresAt, given.owner.userId).run()
    await expire(Date.now() - 1)
    // Expired links do not count.
    expect(await code('shares.create', link())).toBeUndefined()
    await expire(null)
    await reconnect()
    expect(await code('shares.create', link())).toBe('share_limit_reached')
    await expect(insert(content, 'share', shareRow(given.owner.userId, given.threadId, given.answerId))).rejects.toThrow(
      'share_limit_reached',
    )
  })

  test('are purged a day after they end, and with their message', async () => {
    const nowMs = Date.now()
    const ids = [newId(), newId(), newId(), newId()]
    const ended = [{ revokedAt: nowMs - 2 * dayMs }, { expiresAt: nowMs - 2 * dayMs }, { revokedAt: nowMs }, {}]
    for (const [i, fields] of ended.entries())
      await insert(content, 'share', shareRow(given.owner.userId, given.threadId, given.answerId, { id: ids[i] ?? '', ...fields }))
    await purgeShares(content, nowMs)
    const left = async () =>
      (await content.prepare('select id from share where userId = ?').bind(given.owner.userId).all<{ id: string }>()).results.map(
        ({ id }) => id,
      )
    expect((await left()).sort()).toEqual(ids.slice(2).sort())
    await content.prepare('update message set deletedAt = 5 where id = ?').bind(given.answerId).run()
    await purgeMessages(content, nowMs)
    expect(await left()).toEqual([])
  })
})
