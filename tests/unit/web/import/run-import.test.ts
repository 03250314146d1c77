// A run of an import: the worker of the browser reads, and batches are written, refused and continued.
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { importState } from '../../../../web/features/account/import/import-state.ts'
import type { WorkerRequest } from '../../../../web/features/account/import/import-worker.ts'
import { continueImport, runImport } from '../../../../web/features/account/import/run-import.ts'
import type { Outcome } from '../../../../web/sync/outcome.ts'
import { maxImportMessages } from '../../../../worker/contract/limits.ts'
import type { ImportedThread } from '../../../../worker/contract/threads/import-args.ts'
import { jsonFile, manyConversations } from '../../../support/import-files.ts'

type Refused = Extract<Outcome, { ok: false }>['refusal'] | null

/** The module of the worker, in this thread. It has one worker at a time, as the page does. */
const scope: { onmessage?: (event: { readonly data: WorkerRequest }) => void; postMessage: (answer: unknown) => void } = {
  postMessage: () => undefined,
}

class WorkerInThisThread {
  onmessage: ((event: { readonly data: unknown }) => void) | null = null
  constructor() {
    scope.postMessage = (data) => this.onmessage?.({ data })
  }
  postMessage(data: WorkerRequest): void {
    scope.onmessage?.({ data })
  }
  terminate(): void {
    scope.postMessage = () => undefined
  }
}

beforeAll(async () => {
  vi.stubGlobal('Worker', WorkerInThisThread)
  vi.stubGlobal('self', scope)
  await import('../../../../web/features/account/import/import-worker.ts')
})

let written: ImportedThread[][]
let stored: Map<string, number>
let storedMessages: Set<string>
beforeEach(() => {
  written = []
  storedMessages = new Set()
  stored = new Map()
  importState.set(null)
})

/** Imports into a server that refuses what `refusalOf` says. */
function start(file: string, refusalOf: (threads: readonly ImportedThread[]) => Refused = () => null): Promise<void> {
  return runImport([jsonFile(file)], 'user-who-imports', {
    stored: async (ids) => new Map([...stored].filter(([id]) => ids.includes(id))),
    hasMessage: async (id) => storedMessages.has(id),
    write: async (threads) => {
      const refusal = refusalOf(threads)
      if (refusal) return { ok: false, refusal }
      written.push([...threads])
      for (const { id, updatedAt, messages } of threads) {
        stored.set(id, updatedAt)
        for (const message of messages) storedMessages.add(message.id)
      }
      return { ok: true }
    },
  })
}

const titles = () => written.map((threads) => threads.map(({ title }) => title))

test('writes a thread of three parts in three parts, and counts it once', async () => {
  await start(manyConversations(1, maxImportMessages + 10))
  expect(written.map((threads) => threads.map(({ messages }) => messages.length))).toEqual([[maxImportMessages], [maxImportMessages], [20]])
  const parts = written.flat()
  expect(new Set(parts.map(({ id }) => id)).size).toBe(1)
  expect(new Set(parts.flatMap(({ messages }) => messages.map(({ id }) => id))).size).toBe(2 * maxImportMessages + 20)
  // Each part shows its own newest message, and the last part has the time of the file.
  expect(parts.map(({ headId, messages }) => headId === messages.at(-1)?.id)).toEqual([true, true, true])
  expect(parts.at(-1)?.updatedAt).toBe(1_700_000_050_000)
  expect(importState.get()).toMatchObject({ phase: 'done', share: 1, imported: 1, known: 0, problems: [] })
})

test('a second import of the same file writes nothing', async () => {
  const file = manyConversations(30, 2)
  await start(file)
  expect(titles().flat()).toHaveLength(30)
  written = []
  await start(file)
  expect(written).toEqual([])
  expect(importState.get()).toMatchObject({ phase: 'done', imported: 0, known: 30, newest: [] })
})

test('a file continues after the parts of a thread that an interrupted import has written', async () => {
  const file = manyConversations(1, maxImportMessages + 10)
  await start(file)
  const [first] = written.flat()
  // Also if the user has changed the thread since.
  for (const updatedAt of [first?.updatedAt ?? 0, Date.now()]) {
    stored = new Map([[first?.id ?? '', updatedAt]])
    storedMessages = new Set(first?.messages.map(({ id }) => id))
    written = []
    await start(file)
    expect(written.map((threads) => threads.map(({ messages }) => messages.length))).toEqual([[maxImportMessages], [20]])
    expect(importState.get()).toMatchObject({ phase: 'done', imported: 1, known: 0 })
  }
  stored = new Map([[first?.id ?? '', Date.now()]])
  written = []
  await start(file)
  expect(written).toEqual([])
  expect(importState.get()).toMatchObject({ phase: 'done', imported: 0, known: 1 })
})

test('lists a refused thread of several parts once', async () => {
  let calls = 0
  await start(manyConversations(1, maxImportMessages + 10), () => {
    calls += 1
    return { code: 'row_too_large' }
  })
  expect(calls).toBe(1)
  expect(importState.get()).toMatchObject({ imported: 0, known: 0, problems: [{ title: 'Thread 0', reason: 'refused' }] })
})

test('skips only the thread whose content is refused', async () => {
  await start(manyConversations(4, 1), (threads) => (threads.some(({ title }) => title === 'Thread 2') ? { code: 'row_too_large' } : null))
  expect(titles()).toEqual([['Thread 0'], ['Thread 1'], ['Thread 3']])
  const { phase, imported, known, problems, newest } = importState.get() ?? {}
  expect({ phase, imported, known, problems }).toEqual({
    ...{ phase: 'done', imported: 3, known: 0 },
    problems: [{ title: 'Thread 2', reason: 'refused' }],
  })
  expect(newest?.map(({ title }) => title)).toEqual(['Thread 3', 'Thread 1', 'Thread 0'])
})

test('pauses for a refusal that passes, also between single threads, and continues there', async () => {
  let isFull = true
  const done = start(manyConversations(3, 1), (threads) => {
    if (threads.length > 1) return { code: 'invalid_request' }
    return isFull && threads[0]?.title === 'Thread 1' ? { code: 'content_full' } : null
  })
  const paused = { phase: 'paused', refusal: { code: 'content_full' }, isAboutImages: false, problems: [] }
  await expect.poll(() => importState.get()).toMatchObject(paused)
  expect(titles()).toEqual([['Thread 0']])
  // Still full.
  continueImport('retry')
  await expect.poll(() => importState.get()).toMatchObject(paused)
  expect(titles()).toEqual([['Thread 0']])
  isFull = false
  continueImport('retry')
  await done
  expect(titles()).toEqual([['Thread 0'], ['Thread 1'], ['Thread 2']])
  expect(importState.get()).toMatchObject({ phase: 'done', refusal: null, imported: 3, known: 0, problems: [] })
})

test.each([
  ['a file of another program', '{"name": "parley", "dependencies": {}}', 'nothing_found'],
  ['a list of other records', '[{"title": "Watched a video"}]', 'nothing_found'],
  ['an empty list', '[]', 'nothing_found'],
  ['no JSON', 'Title,Text', 'nothing_found'],
  ['messages of an interface', '{"messages": {"save": "Save"}}', 'nothing_found'],
  ['an export of one empty conversation', '[{"name": "Empty", "chat_messages": []}]', 'done'],
])('ends %s', async (_, text, phase) => {
  await start(text)
  expect(importState.get()).toMatchObject({ phase, imported: 0 })
})
