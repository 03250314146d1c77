// The files of a copied thread: rows of the visitor that refer to the objects of the owner's files.
import { describe, expect, test } from 'vitest'
import { fileAddress } from '../../worker/contract/files/files.ts'
import { copiedFilesPerHour, storedFileBytes, unusedFileTtlMs } from '../../worker/contract/limits.ts'
import { deleteFilesOf } from '../../worker/db/file-store.ts'
import { newId } from '../../worker/db/new-id.ts'
import { copyShare, readShare } from '../../worker/db/shares.ts'
import { runScheduledWork } from '../../worker/scheduled.ts'
import { guest } from './auth/browser.ts'
import { content, env, worker } from './bindings.ts'
import { given, givenThread, png, setSharedThread, shareIt, stored, text } from './shared-thread.ts'
import { origin } from './sync-wire.ts'

setSharedThread()

describe('the object of a copied file', () => {
  const objects = async () => (await env.FILES?.list())?.objects.map(({ key }) => key).toSorted() ?? []
  const filesOf = async (userId: string) =>
    (await content.prepare('select id from attachment where userId = ?').bind(userId).all<{ id: string }>()).results.map(({ id }) => id)
  /** All that the cleanup job does two days later, when no message uses the files of these users any more. */
  const purgeWithout = async (...userIds: readonly string[]) => {
    for (const userId of userIds) await content.prepare('delete from thread where userId = ?').bind(userId).run()
    await runScheduledWork(env, () => Date.now() + 2 * unusedFileTtlMs)
  }
  const copiedBy = async (id: string) => {
    const visitor = await guest()
    expect((await visitor.browser.call(`/api/shares/${id}/copy`, { body: { threadId: newId() } })).status).toBe(201)
    return visitor
  }
  const readBy = async ({ browser, userId }: Awaited<ReturnType<typeof guest>>) =>
    new Uint8Array(await (await browser.call(fileAddress((await filesOf(userId))[0] ?? ''))).arrayBuffer())
  const givenShare = async () => {
    await givenThread([await stored(png, 'leaf.png'), text('Look')], [text('I see')])
    return shareIt()
  }

  test('is the one of the original, however many copies there are, and goes with the last row', async () => {
    const before = await objects()
    const id = await givenShare()
    const withOriginal = await objects()
    const [first, second] = [await copiedBy(id), await copiedBy(id)]
    expect(await objects()).toEqual(withOriginal)
    expect(withOriginal).toHaveLength(before.length + 1)
    // The original goes first, then one copy.
    await purgeWithout(given.owner.userId)
    expect(await filesOf(given.owner.userId)).toEqual([])
    expect([await readBy(first), await readBy(second)]).toEqual([png, png])
    await purgeWithout(first.userId)
    expect(await readBy(second)).toEqual(png)
    // A copy of a copy.
    expect(await objects()).toEqual(withOriginal)
    await purgeWithout(second.userId)
    expect(await objects()).toEqual(before)
  })

  test('stays for the others when an account is deleted, and goes when the last two are deleted at once', async () => {
    const before = await objects()
    const visitor = await copiedBy(await givenShare())
    await deleteFilesOf(env, given.owner.userId)
    expect(await readBy(visitor)).toEqual(png)
    await deleteFilesOf(env, visitor.userId)
    expect(await objects()).toEqual(before)
    const other = await copiedBy(await givenShare())
    await Promise.all([deleteFilesOf(env, given.owner.userId), deleteFilesOf(env, other.userId)])
    expect(await objects()).toEqual(before)
  })

  test('has its own access: a visitor can neither read nor change the file of the owner', async () => {
    const id = await givenShare()
    const { browser, userId } = await copiedBy(id)
    const [original] = await filesOf(given.owner.userId)
    const [copied] = await filesOf(userId)
    expect((await browser.call(fileAddress(original ?? ''))).status).toBe(404)
    const owner = await worker.fetch(`${origin}${fileAddress(copied ?? '')}`, { headers: { cookie: given.owner.browser.cookie } })
    expect(owner.status).toBe(404)
    // A variant of the copy is not a variant of the original.
    const withOriginal = await objects()
    await browser.call(`${fileAddress(copied ?? '')}/thumbnail`, { method: 'POST', body: png } as never)
    expect((await objects()).filter((key) => key.startsWith(`files/${original}/`))).toEqual(
      withOriginal.filter((key) => key.startsWith(`files/${original}/`)),
    )
  })

  test('is deleted in the end if a copy is interrupted at any statement', async () => {
    const before = await objects()
    for (let step = 0; ; step++) {
      const id = await givenShare()
      const shared = await readShare(env, id, Date.now())
      if (!shared) throw new Error('a link was expected')
      const { userId } = await guest()
      let left = step
      const cut = new Proxy(env, {
        get: (target, name) => {
          const value = Reflect.get(target, name) as unknown
          if (!String(name).startsWith('CONTENT_DB') || value === undefined) return value
          return interrupted(value as D1Database, () => left-- <= 0)
        },
      })
      const isDone = await copyShare(cut, shared, { userId, plan: 'guest' }, newId(), Date.now()).then(
        () => true,
        () => false,
      )
      // The original goes first, so that a lost reference would lose the object, and a stale one would keep it.
      await purgeWithout(given.owner.userId)
      await purgeWithout(userId)
      expect([step, await objects(), await filesOf(userId)]).toEqual([step, before, []])
      if (isDone) break
      expect(step).toBeLessThan(20)
    }
  })

  test('counts towards the storage and the copied files of an hour, and nothing of a refused copy is left', async () => {
    const id = await givenShare()
    const { browser, userId } = await guest()
    const copy = async () => {
      const response = await browser.call(`/api/shares/${id}/copy`, { body: { threadId: newId() } })
      return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code]
    }
    const fill = (uploadId: string, count: number, sizeBytes: number) =>
      content.batch(
        Array.from({ length: count }, (_, index) =>
          content
            .prepare(
              `insert into attachment (id, userId, uploadId, name, mediaType, sizeBytes, storedAt, createdAt, objectId)
               values (?1, ?2, ?3, 'a', 'image/png', ?4, ?5, ?5, 'none')`,
            )
            .bind(newId(), userId, `${uploadId}${index}`, sizeBytes, Date.now()),
        ),
      )
    await fill('copy:other-', copiedFilesPerHour.guest, 0)
    expect(await copy()).toEqual([429, 'copies_too_often'])
    await content.prepare('update attachment set createdAt = 1 where userId = ?').bind(userId).run()
    expect((await copy())[0]).toBe(201)
    await fill('large', 1, storedFileBytes.guest)
    const before = await filesOf(userId)
    expect(await copy()).toEqual([403, 'storage_full'])
    expect(await filesOf(userId)).toEqual(before)
  })
})

/** A database whose requests fail once `isCut` is true. */
function interrupted(database: D1Database, isCut: () => boolean): D1Database {
  const originals = new WeakMap<object, D1PreparedStatement>()
  const check = () => {
    if (isCut()) throw new Error('D1_ERROR: Network connection lost.')
  }
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(statement, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as (...args: unknown[]) => unknown
        if (name === 'bind') return (...args: unknown[]) => wrap(target.bind(...args))
        return typeof value === 'function'
          ? async (...args: unknown[]) => {
              check()
              return value.apply(target, args)
            }
          : value
      },
    })
    originals.set(wrapped, statement)
    return wrapped
  }
  return new Proxy(database, {
    get: (target, name) => {
      if (name === 'prepare') return (text: string) => wrap(target.prepare(text))
      if (name === 'batch')
        return async (statements: D1PreparedStatement[]) => {
          check()
          return target.batch(statements.map((statement) => originals.get(statement) ?? statement))
        }
      return Reflect.get(target, name) as unknown
    },
  })
}
