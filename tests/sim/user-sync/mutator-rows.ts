// One successful call of every mutator, with the rows that it needs. Each has its own thread and writes its key into every id and text, so
// that the effects of different mutators can be distinguished.
import { idChars } from '../../../worker/contract/ids.ts'
import { creditsPerDay, researchesPerDay, searchesPerDay } from '../../../worker/contract/limits.ts'
import type { MemoryD1 } from '../../support/node-object/memory-d1.ts'
import { approvalRow, waitingPart } from '../../support/rows.ts'

export type Call = {
  /** Besides its thread, which has a question, a stopped answer and a hidden answer. */
  readonly given?: (d1: MemoryD1, ids: Ids) => void
  readonly args: (ids: Ids) => object
}

export type Ids = ReturnType<typeof idsOf>

const userId = 'ada'
const modelId = 'kimi-k2'

/** 'threads-send' of 'threads.send'. */
const keyOf = (name: string): string => name.replace('.', '-')

const idsOf = (key: string) => ({
  key,
  threadId: `${key}-thread`,
  questionId: `${key}-question`,
  answerId: `${key}-answer`,
  otherId: `${key}-other`,
  /** Rows that `given` adds. */
  moreId: `${key}-more`,
  /** Rows that the call writes. */
  newId: `${key}-new`,
  newAnswerId: `${key}-new-answer`,
})

export const callIds = (name: string): Ids => idsOf(keyOf(name))

const turn = ({ threadId, newAnswerId }: Ids) => ({ threadId, answerId: newAnswerId, modelId, at: 1 })
const plan = ({ threadId, moreId }: Ids) => ({ threadId, messageId: moreId, at: 1 })
const steps = ['one', 'two'].map((id) => ({ id, text: `Step ${id}`, queries: [] }))
const planPart = { type: 'tool-plan', toolCallId: 'plan', state: 'output-available', input: {}, output: { steps } }

function addMessage(d1: MemoryD1, ids: Ids, id: string, parentId: string | null, parts: readonly object[], isAnswer = true): void {
  const metadata = { modelId, modelName: 'Kimi K2', modelIcon: 'moonshot', ending: 'stopped', credits: 0 }
  const message = JSON.stringify({ id, role: isAnswer ? 'assistant' : 'user', parts, ...(isAnswer ? { metadata } : {}) })
  const sql = 'insert into message (id, threadId, userId, parentId, message, createdAt) values (?, ?, ?, ?, ?, 1)'
  d1.all(sql, id, ids.threadId, userId, parentId, message)
}

/** The last message of the visible branch: an earlier plan can no longer be changed. */
function withPlan(d1: MemoryD1, ids: Ids): void {
  addMessage(d1, ids, ids.moreId, ids.questionId, [planPart])
  d1.all('update thread set headId = ? where id = ?', ids.moreId, ids.threadId)
}

/** The last message of the visible branch has a call that waits. */
function withApproval(d1: MemoryD1, ids: Ids): void {
  const id = `${ids.otherId}-approval`
  addMessage(d1, ids, ids.moreId, ids.questionId, [waitingPart(id)])
  d1.all('update thread set headId = ? where id = ?', ids.moreId, ids.threadId)
  const row = approvalRow(userId, ids.threadId, ids.moreId, { id, expiresAt: Date.UTC(2100, 0) })
  const columns = Object.keys(row)
  d1.all(`insert into approval (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`, ...Object.values(row))
}

function withExpired(d1: MemoryD1, ids: Ids): void {
  withApproval(d1, ids)
  d1.all('update approval set expiresAt = 1 where threadId = ?', ids.threadId)
}

function withGrant(d1: MemoryD1, ids: Ids): void {
  withApproval(d1, ids)
  d1.all("update approval set state = 'allowed', isForThread = 1, decidedAt = 2 where threadId = ?", ids.threadId)
}

function withQueued(d1: MemoryD1, { moreId, threadId, newAnswerId }: Ids): void {
  const sql = `insert into queuedMessage (id, threadId, userId, answerId, text, modelId, hold, createdAt) values (?, ?, ?, ?, 'Then', ?, 'stopped', 1)`
  d1.all(sql, moreId, threadId, userId, newAnswerId, modelId)
}

function withProject(d1: MemoryD1, { moreId, key }: Ids): void {
  d1.all('insert into project (id, userId, name, createdAt, updatedAt) values (?, ?, ?, 1, 1)', moreId, userId, key)
}

function withPrompt(d1: MemoryD1, { moreId, key }: Ids): void {
  d1.all('insert into prompt (id, userId, name, text, createdAt, updatedAt) values (?, ?, ?, ?, 1, 1)', moreId, userId, key, 'Old')
}

const fileOf = ({ newId }: Ids) => ({ id: newId, name: 'tea.txt', mediaType: 'text/plain', sizeBytes: 5 })

/** A project and a file of the user. */
function withProjectAndFile(d1: MemoryD1, ids: Ids): void {
  withProject(d1, ids)
  const { id, name, mediaType, sizeBytes } = fileOf(ids)
  const sql =
    'insert into attachment (id, userId, uploadId, name, mediaType, sizeBytes, etag, storedAt, createdAt) values (?1, ?2, ?1, ?3, ?4, ?5, \'"a"\', 1, 1)'
  d1.all(sql, id, userId, name, mediaType, sizeBytes)
}

function withUnread(d1: MemoryD1, { threadId }: Ids): void {
  d1.all('update thread set unreadAt = 5 where id = ?', threadId)
}

/** Links have ids of full length. */
const shareIdOf = (id: string): string => id.padEnd(idChars, '-')

function withShare(d1: MemoryD1, { moreId, threadId, answerId }: Ids): void {
  const sql = 'insert into share (id, userId, threadId, messageId, isListed, createdAt) values (?, ?, ?, ?, 0, 1)'
  d1.all(sql, shareIdOf(moreId), userId, threadId, answerId)
}

/** Its generation must not end before it is stopped. */
function withOpenTurn(d1: MemoryD1, { threadId, moreId, questionId }: Ids): void {
  const generation =
    'insert into generation (id, userId, threadId, parentId, modelId, credits, day, createdAt, objectId) values (?1, ?2, ?3, ?4, ?5, 1, 20833, 1, ?1)'
  d1.all(generation, moreId, userId, threadId, questionId, modelId)
  const reserve = `insert into creditLedger (id, userId, generationId, kind, credits, day, dailyLimit, searchLimit, researchLimit, createdAt)
    values (?, ?, ?, 'reserve', 1, 20833, ?, ?, ?, 1)`
  d1.all(reserve, `${moreId}:reserve`, userId, moreId, creditsPerDay.pro, searchesPerDay.pro, researchesPerDay.pro)
  d1.all("update thread set status = 'submitted', streamId = ?, headId = ? where id = ?", moreId, questionId, threadId)
}

/** A mutator without an entry here fails. */
export const calls: { readonly [mutator: string]: Call } = {
  'threads.send': { args: (ids) => ({ ...turn(ids), messageId: ids.newId, parentId: ids.answerId, text: ids.key }) },
  'threads.answer': { args: (ids) => ({ ...turn(ids), parentId: ids.questionId }) },
  'threads.stop': { given: withOpenTurn, args: ({ threadId }) => ({ threadId }) },
  'threads.rename': { args: ({ threadId, key }) => ({ threadId, title: `mark:${key}` }) },
  'threads.setEffort': {
    given: (d1) => void d1.all(`update model set effort = '["low","high"]' where id = ?`, modelId),
    args: ({ threadId }) => ({ threadId, modelId, effort: 'high' }),
  },
  'threads.setOffTools': { args: ({ threadId, key }) => ({ threadId, offTools: [key] }) },
  'threads.show': { args: ({ threadId, otherId }) => ({ threadId, messageId: otherId }) },
  'threads.fork': { args: ({ threadId, answerId, newId }) => ({ threadId, messageId: answerId, newThreadId: newId, at: 1 }) },
  'threads.pin': { args: ({ threadId }) => ({ threadIds: [threadId], isPinned: true, at: 1 }) },
  'threads.markRead': { given: withUnread, args: ({ threadId }) => ({ threadId, unreadAt: 5 }) },
  'threads.claimNotice': { given: withUnread, args: ({ threadId }) => ({ threadId, unreadAt: 5 }) },
  'threads.archive': { args: ({ threadId }) => ({ threadIds: [threadId], isArchived: true, at: 1 }) },
  'threads.move': { given: withProject, args: ({ threadId, moreId }) => ({ threadIds: [threadId], projectId: moreId }) },
  'threads.delete': { args: ({ threadId }) => ({ threadIds: [threadId], at: 1 }) },
  'threads.restore': {
    given: (d1, { threadId }) => void d1.all('update thread set deletedAt = 5 where id = ?', threadId),
    args: ({ threadId }) => ({ threadIds: [threadId] }),
  },
  'projects.create': { args: ({ newId, key }) => ({ id: newId, name: key, at: 1 }) },
  'projects.update': { given: withProject, args: ({ moreId, key }) => ({ id: moreId, name: `mark:${key}`, at: 1 }) },
  'projects.delete': { given: withProject, args: ({ moreId }) => ({ id: moreId, at: 1 }) },
  'projects.restore': {
    given: (d1, ids) => {
      withProject(d1, ids)
      d1.all('update project set deletedAt = 5 where id = ?', ids.moreId)
    },
    args: ({ moreId }) => ({ id: moreId, at: 1 }),
  },
  'projects.addFile': { given: withProjectAndFile, args: (ids) => ({ id: ids.moreId, file: fileOf(ids), at: 1 }) },
  'projects.removeFile': {
    given: (d1, ids) => {
      withProjectAndFile(d1, ids)
      d1.all('update project set files = ? where id = ?', JSON.stringify([fileOf(ids)]), ids.moreId)
    },
    args: ({ moreId, newId }) => ({ id: moreId, fileId: newId, at: 1 }),
  },
  'prompts.save': { given: withPrompt, args: ({ moreId, key }) => ({ id: moreId, name: `mark:${key}`, text: 'New' }) },
  'prompts.delete': { given: withPrompt, args: ({ moreId }) => ({ id: moreId }) },
  'prompts.restore': {
    given: (d1, ids) => {
      withPrompt(d1, ids)
      d1.all('update prompt set deletedAt = 5 where id = ?', ids.moreId)
    },
    args: ({ moreId }) => ({ id: moreId }),
  },
  'prompts.share': {
    given: (d1, ids) => {
      withPrompt(d1, ids)
      d1.all('insert or ignore into organization (id, name, createdAt) values (?, ?, 1)', ids.moreId, 'Makers')
      d1.all('insert into member (id, organizationId, userId, createdAt) values (?1, ?1, ?2, 1)', ids.moreId, userId)
    },
    args: ({ moreId }) => ({ id: moreId, organizationId: moreId }),
  },
  'approvals.decide': {
    given: withApproval,
    args: ({ otherId, newAnswerId }) => ({ id: `${otherId}-approval`, answerId: newAnswerId, decision: 'once' }),
  },
  'approvals.renew': { given: withExpired, args: ({ threadId, moreId }) => ({ threadId, messageId: moreId }) },
  'approvals.revoke': { given: withGrant, args: ({ threadId }) => ({ threadId, sourceId: 'notes', tool: 'save_note' }) },
  'drafts.save': { args: ({ threadId, newId, key }) => ({ threadId, text: `mark:${key}`, revision: newId, base: null }) },
  'threads.import': {
    args: ({ newId, newAnswerId, key }) => {
      const message = { id: newAnswerId, parentId: null, role: 'user', text: key, createdAt: 1 }
      return { threads: [{ id: newId, title: key, headId: newAnswerId, createdAt: 1, updatedAt: 2, messages: [message] }] }
    },
  },
  'messages.bookmark': { args: ({ threadId, answerId }) => ({ threadId, messageId: answerId, isBookmarked: true, at: 1 }) },
  'shares.create': {
    args: ({ threadId, answerId }) => ({ threadId, messageId: answerId, name: null, lifetime: 'week', isListed: false }),
  },
  'shares.revoke': { given: withShare, args: ({ moreId }) => ({ id: shareIdOf(moreId) }) },
  'messages.delete': { args: ({ threadId, answerId }) => ({ threadId, messageId: answerId, at: 1 }) },
  'messages.restore': {
    given: (d1, { otherId }) => void d1.all('update message set deletedAt = 5 where id = ?', otherId),
    args: ({ threadId, otherId }) => ({ threadId, messageId: otherId }),
  },
  // After a stopped turn it waits for the user.
  'queue.add': { args: (ids) => ({ ...turn(ids), id: ids.newId, text: 'Then' }) },
  'queue.edit': { given: withQueued, args: ({ moreId }) => ({ id: moreId, mode: 'chat' }) },
  'queue.remove': { given: withQueued, args: ({ moreId }) => ({ id: moreId }) },
  'queue.send': { given: withQueued, args: ({ moreId }) => ({ id: moreId, at: 1 }) },
  'research.putStep': { given: withPlan, args: (ids) => ({ ...plan(ids), stepId: 'two', text: 'Another' }) },
  'research.removeStep': { given: withPlan, args: (ids) => ({ ...plan(ids), stepId: 'two' }) },
  'research.dismiss': { given: withPlan, args: (ids) => ({ ...plan(ids), isDismissed: true }) },
  'research.start': {
    given: withPlan,
    args: (ids) => ({ ...plan(ids), answerId: ids.newAnswerId, modelId }),
  },
  'settings.update': { args: ({ key }) => ({ nickname: key }) },
}

/** A user who may call all mutators, and the rows they need. */
export function addCallRows(d1: MemoryD1, nowMs: number): void {
  const subscription = { id: 's', status: 'active', currentPeriodEndMs: nowMs + 60_000_000, cancelAtPeriodEnd: false }
  d1.all('insert into userCustomer (id, userId, subscription) values (?1, ?1, ?2)', userId, JSON.stringify(subscription))
  for (const [name, { given }] of Object.entries(calls)) {
    const ids = callIds(name)
    const thread = 'insert into thread (id, userId, title, headId, createdAt, updatedAt) values (?, ?, ?, ?, 1, 1)'
    d1.all(thread, ids.threadId, userId, 'Old', ids.answerId)
    const text = [{ type: 'text', text: 'Old' }]
    addMessage(d1, ids, ids.questionId, null, text, false)
    for (const id of [ids.answerId, ids.otherId]) addMessage(d1, ids, id, ids.questionId, text)
    given?.(d1, ids)
  }
}

/** Where a mutator's effects are visible. The feed and the history table distinguish one execution from two. */
const traced = {
  thread: '*',
  project: '*',
  message: '*',
  queuedMessage: '*',
  // The server chooses the id.
  share: 'threadId, messageId, isListed, createdAt, expiresAt, revokedAt',
  prompt: '*',
  sharedPrompt: '*',
  draft: '*',
  approval: '*',
  setting: '*',
  generation: '*',
  creditLedger: '*',
  contentChange: 'scope, tbl, rowId, op',
  history: '*',
}

/** Everything in the database with the key of this mutator. */
export function tracesOf(d1: MemoryD1, name: string): readonly string[] {
  const rows = Object.entries(traced).flatMap(([table, columns]) =>
    d1.all<object>(`select ${columns} from ${table}`).map((row) => `${table} ${JSON.stringify(row)}`),
  )
  return rows.filter((row) => row.includes(`"${keyOf(name)}`) || row.includes(`:${keyOf(name)}"`)).sort()
}
