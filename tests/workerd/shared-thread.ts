// A shared thread for the tests of shared links: its owner with a connection, and calls by name.
import { beforeEach, expect } from 'vitest'
import { fileAddress } from '../../worker/contract/files/files.ts'
import { newId } from '../../worker/db/new-id.ts'
import { insertStatement, messageRow, threadRow } from '../support/rows.ts'
import { pngOf } from '../support/sample-files.ts'
import { newTestUser, type TestUser } from './authorization/scene.ts'
import { content, worker } from './bindings.ts'
import { connected, me, origin, recentThreads, type Wire } from './sync-wire.ts'

export const text = (value: string) => ({ type: 'text', text: value })
const metadata = {
  ...{ modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'moonshot', ending: 'completed', credits: 7, mode: 'search' },
  use: { requests: 1, inputTokens: 4711 },
  paid: { by: 'answer-that-paid', credits: 7 },
}

type Given = { owner: TestUser; wire: Wire; threadId: string; questionId: string; answerId: string }

/** The owner and the thread of the running test. */
export const given = {} as Given

export const reconnect = async (): Promise<void> => {
  given.wire = await connected(given.owner, { queries: [me, recentThreads] })
}

/** A thread with a question and an answer, and a connection that has read them. */
export async function givenThread(question: readonly object[], answer: readonly object[], title = 'How tea grows'): Promise<void> {
  const [threadId, questionId, answerId] = [newId(), newId(), newId()]
  const { userId } = given.owner
  const message = (id: string, role: string, parts: readonly object[]) =>
    JSON.stringify({ id, role, parts, ...(role === 'assistant' && { metadata }) })
  const asked = { id: questionId, message: message(questionId, 'user', question) }
  const answered = { id: answerId, parentId: questionId, message: message(answerId, 'assistant', answer) }
  await content.batch([
    insertStatement(content, 'thread', threadRow(userId, { id: threadId, title, headId: answerId })),
    ...[asked, answered].map((fields) => insertStatement(content, 'message', messageRow(userId, threadId, fields))),
  ])
  Object.assign(given, { threadId, questionId, answerId })
  await reconnect()
}

/** Gives every test an owner with a thread. */
export function setSharedThread(): void {
  beforeEach(async () => {
    given.owner = await newTestUser(false)
    await givenThread([text('Where does tea grow?')], [text('In **Assam**.')])
  })
}

/** Calls a mutator as the owner; the code of its refusal. */
export const code = (name: string, args: object): Promise<string | undefined> => given.wire.refusalOf(name, args)

export const link = (fields: object = {}) => {
  const { threadId, answerId } = given
  return { threadId, messageId: answerId, name: null, lifetime: null, isListed: false, ...fields }
}

/** The id of the new link, which the server chose. */
export async function shareIt(fields: object = {}): Promise<string> {
  expect(await code('shares.create', link(fields))).toBeUndefined()
  const newest = 'select id from share where userId = ? order by rowid desc limit 1'
  return (await content.prepare(newest).bind(given.owner.userId).first<string>('id')) ?? ''
}

export const get = (path: string, headers: Record<string, string> = {}) => worker.fetch(origin + path, { headers })
export const pageOf = async (id: string) => (await get(`/share/${id}`)).text()
export const statusOf = async (id: string) => (await get(`/share/${id}`)).status

export const png = pngOf(8, 6)

/** A file of the owner, as a part of a message. */
export async function stored(
  bytes: Uint8Array,
  name: string,
): Promise<{ readonly type: 'file'; readonly url: string; readonly filename: string }> {
  const headers = { origin, cookie: given.owner.browser.cookie, 'x-upload-id': newId(), 'x-file-name': name }
  const response = await worker.fetch(`${origin}/api/files`, { method: 'POST', headers, body: bytes })
  const { file } = (await response.json()) as { file: { id: string; name: string; mediaType: string; sizeBytes: number } }
  const { id, mediaType, sizeBytes } = file
  return { type: 'file', url: fileAddress(id), filename: name, ...{ mediaType, sizeBytes } }
}
