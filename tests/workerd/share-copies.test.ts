// The files of a shared page, and the copy of a shared thread that a visitor continues.
import { describe, expect, test } from 'vitest'
import { dayOf } from '../../worker/contract/access.ts'
import { fileAddress } from '../../worker/contract/files/files.ts'
import { forksPerDay, maxCopiedFiles } from '../../worker/contract/limits.ts'
import { newId } from '../../worker/db/new-id.ts'
import { guest } from './auth/browser.ts'
import { newTestUser } from './authorization/scene.ts'
import { content, worker } from './bindings.ts'
import { code, get, given, givenThread, pageOf, png, setSharedThread, shareIt, stored, text } from './shared-thread.ts'
import { connected, me, origin, recentThreads } from './sync-wire.ts'

setSharedThread()

describe('files', () => {
  test('are served by their place, with the headers of files, only while the link lives', async () => {
    const [image, note] = [await stored(png, 'leaf "1".png'), await stored(new TextEncoder().encode('notes'), 'notes.txt')]
    await givenThread([image, text('Look')], [note, text('I see')])
    const id = await shareIt()
    const html = await pageOf(id)
    expect(html).toContain(`src="/share/${id}/files/0" alt="leaf &quot;1&quot;.png"`)
    expect(html).toContain(`href="/share/${id}/files/1"`)
    for (const { url } of [image, note]) expect(html).not.toContain(url.split('/').at(-1))
    const response = await get(`/share/${id}/files/0`)
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(png)
    const { headers } = response
    expect(headers.get('content-type')).toBe('image/png')
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('x-robots-tag')).toBe('noindex')
    expect(await (await get(`/share/${id}/files/1`)).text()).toBe('notes')
    for (const absent of ['2', '-1', '0x0', '1e0', 'a'])
      expect([absent, (await get(`/share/${id}/files/${absent}`)).status]).toEqual([absent, 404])
    expect(await code('shares.revoke', { id })).toBeUndefined()
    expect((await get(`/share/${id}/files/0`)).status).toBe(404)
  })

  test('belong to the visitor in a copy', async () => {
    const image = await stored(png, 'leaf.png')
    await givenThread([image, text('Look')], [text('I see'), image])
    const id = await shareIt()
    const { browser, userId } = await guest()
    const copyId = newId()
    expect((await browser.call(`/api/shares/${id}/copy`, { body: { threadId: copyId } })).status).toBe(201)
    const { results } = await content.prepare('select id, sizeBytes from attachment where userId = ?').bind(userId).all<{ id: string }>()
    expect(results).toHaveLength(1)
    const copied = results[0]?.id ?? ''
    expect(new Uint8Array(await (await browser.call(fileAddress(copied))).arrayBuffer())).toEqual(png)
    const messages = await content.prepare('select message from message where threadId = ?').bind(copyId).all<{ message: string }>()
    expect(messages.results.map(({ message }) => message.includes(fileAddress(copied)))).toEqual([true, true])
    // The copy stays when the owner's thread is gone.
    expect(await code('threads.delete', { threadIds: [given.threadId], at: 1 })).toBeUndefined()
    expect((await browser.call(fileAddress(copied))).status).toBe(200)
  })
})

describe('a copy', () => {
  const copy = async (browser: Awaited<ReturnType<typeof guest>>['browser'], id: string, copyId: string) => {
    const response = await browser.call(`/api/shares/${id}/copy`, { body: { threadId: copyId } })
    const { error } = (await response.json()) as { error?: { code: string } }
    return [response.status, error?.code]
  }
  const rowsOf = async (userId: string) => {
    const [threads, messages] = await Promise.all(
      ['thread', 'message'].map(
        async (table) => (await content.prepare(`select * from ${table} where userId = ?`).bind(userId).all()).results,
      ),
    )
    return { threads, messages }
  }

  test('has the public parts only, arrives at once and counts as a fork', async () => {
    const reasoning = { type: 'reasoning', text: 'Secret' }
    await givenThread([text('Hello')], [reasoning, text('Hi')])
    const id = await shareIt()
    const visitor = await newTestUser(false)
    const other = await connected(visitor, { queries: [me, recentThreads] })
    const copyId = newId()
    expect(await copy(visitor.browser, id, copyId)).toEqual([201, undefined])
    await expect
      .poll(() => other.rowsOf('thread').find((row) => row.id === copyId))
      .toMatchObject({ title: 'How tea grows', headId: `${copyId}-1` })
    await other.close()
    const { messages } = await rowsOf(visitor.userId)
    const texts = JSON.stringify(messages)
    for (const secret of ['Secret', '4711', 'answer-that-paid', given.threadId, given.answerId, given.owner.userId])
      expect([secret, texts.includes(secret)]).toEqual([secret, false])
    expect(texts).toContain('Hi')
    expect(await content.prepare('select forks from contentUse where userId = ?').bind(visitor.userId).first('forks')).toBe(1)
  })

  test('is made once, also by requests at once and after the link was revoked', async () => {
    const id = await shareIt()
    const { browser, userId } = await guest()
    const copyId = newId()
    const answers = await Promise.all(Array.from({ length: 4 }, () => copy(browser, id, copyId)))
    expect(answers).toEqual(Array.from({ length: 4 }, () => [201, undefined]))
    expect(await code('shares.revoke', { id })).toBeUndefined()
    expect(await copy(browser, id, copyId)).toEqual([201, undefined])
    expect(await rowsOf(userId)).toMatchObject({ threads: [{ id: copyId }], messages: [{}, {}] })
    expect(await content.prepare('select forks from contentUse where userId = ?').bind(userId).first('forks')).toBe(1)
  })

  test('is refused if a copied file is deleted meanwhile', async () => {
    await givenThread([await stored(png, 'leaf.png'), text('Look')], [text('I see')])
    const id = await shareIt()
    const { browser } = await guest()
    const copyId = newId()
    await content.exec(
      `create trigger file_deleted before insert on thread when new.id = '${copyId}' begin delete from attachment where userId = new.userId; end`,
    )
    try {
      expect(await copy(browser, id, copyId)).toEqual([400, 'file_missing'])
    } finally {
      await content.exec('drop trigger file_deleted')
    }
  })

  test('with too many files is refused before one is copied; copied files are no uploads', async () => {
    const file = await stored(png, 'leaf.png')
    const foreign = (index: number) => ({ ...file, url: fileAddress(`${'a'.repeat(19)}${String(index).padStart(2, '0')}`) })
    await givenThread([text('Look')], [file, ...Array.from({ length: maxCopiedFiles }, (_, index) => foreign(index))])
    const { browser, userId } = await guest()
    const files = () => content.prepare('select uploadId from attachment where userId = ?').bind(userId).all<{ uploadId: string }>()
    expect(await copy(browser, await shareIt(), newId())).toEqual([400, 'too_many_files'])
    expect((await files()).results).toEqual([])
    await givenThread([text('Look')], [file, ...Array.from({ length: maxCopiedFiles - 1 }, (_, index) => foreign(index))])
    expect(await copy(browser, await shareIt(), newId())).toEqual([201, undefined])
    // The limit of uploads counts ids without a colon.
    expect((await files()).results).toEqual([{ uploadId: expect.stringContaining(':') }])
  })

  test('is refused above the limits, for an id of another user, without a session and for a malformed body', async () => {
    const id = await shareIt()
    const { browser, userId } = await guest()
    expect(await copy(browser, id, given.threadId)).toEqual([400, 'invalid_request'])
    expect(await copy(browser, id, 'short')).toEqual([400, 'invalid_request'])
    const session = await worker.fetch(`${origin}/api/shares/${id}/copy`, { method: 'POST', headers: { origin }, body: '{}' })
    expect(session.status).toBe(401)
    const foreign = await browser.call(`/api/shares/${id}/copy`, {
      body: { threadId: newId() },
      headers: { origin: 'https://evil.example' },
    })
    expect(foreign.status).toBe(403)
    await content
      .prepare(
        'insert into contentUse (userId, forks, forkDay) values (?1, ?2, ?3) on conflict (userId) do update set forks = ?2, forkDay = ?3',
      )
      .bind(userId, forksPerDay.guest, dayOf(Date.now()))
      .run()
    expect(await copy(browser, id, newId())).toEqual([403, 'fork_limit_reached'])
    const { threads } = await rowsOf(userId)
    expect(threads).toEqual([])
  })
})
